// See root.hpp. Links are resolved by one walk over the components, for all kinds of roots.
#include "facts/root.hpp"

#include <algorithm>

namespace halyard::facts {
namespace {

constexpr int kMostLinks = 40;
constexpr std::size_t kMostPath = 4096;

// The components of a path still to be walked, the next one last.
void push_components(std::string_view path, std::vector<std::string>& ahead) {
  std::size_t end = path.size();
  while (end > 0) {
    const std::size_t slash = path.substr(0, end).rfind('/');
    const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    if (end > begin) ahead.emplace_back(path.substr(begin, end - begin));
    end = begin == 0 ? 0 : begin - 1;
  }
}

Reading outside(std::string_view path, std::string_view why) {
  return {Access::outside, {}, false, std::string(path) + ": " + std::string(why)};
}

std::string display(const std::string& walked) { return walked.empty() ? "/" : walked; }

}  // namespace

Root::~Root() = default;

std::string_view name_of(Access access) {
  switch (access) {
    case Access::ok:
      return "ok";
    case Access::missing:
      return "missing";
    case Access::refused:
      return "permission denied";
    case Access::outside:
      return "points outside";
    case Access::unusable:
      return "cannot be read";
  }
  return "unknown";
}

Reading Root::walk(std::string_view path, Last last) const {
  std::vector<std::string> ahead;
  push_components(path, ahead);
  std::string walked;
  int links = 0;
  while (!ahead.empty()) {
    const std::string next = std::move(ahead.back());
    ahead.pop_back();
    if (next == ".") continue;
    if (next == "..") {
      if (walked.empty()) return outside(path, "a link leads above the root");
      walked.resize(walked.rfind('/'));
      continue;
    }
    const std::string here = walked + "/" + next;
    if (here.size() > kMostPath) return outside(path, "the path grows beyond 4096 characters");
    const Entry entry = entry_at(here);
    if (entry.access != Access::ok) return {entry.access, here, false, {}};
    if (entry.kind != Kind::link || (ahead.empty() && last == Last::keep)) {
      walked = here;
      continue;
    }
    const Reading target = link_at(here);
    if (!target.ok()) return target;
    if (target.text.starts_with('/') && !is_live())
      return outside(path, "a link to the absolute path " + target.text.substr(0, 200));
    if (++links > kMostLinks) return outside(path, "more than 40 links");
    if (target.text.starts_with('/')) walked.clear();
    push_components(target.text, ahead);
  }
  return {Access::ok, display(walked), false, {}};
}

Reading Root::resolve(std::string_view path) const { return walk(path, Last::follow); }

Reading Root::read(std::string_view path, std::size_t most_bytes) const {
  Reading place = walk(path, Last::follow);
  if (!place.ok()) return {place.access, {}, false, std::move(place.trouble)};
  return read_at(place.text, std::min(most_bytes, kMostBytes));
}

Listing Root::list(std::string_view path) const {
  const Reading place = walk(path, Last::follow);
  if (!place.ok()) return {place.access, {}, false};
  Listing listing = list_at(place.text);
  std::sort(listing.names.begin(), listing.names.end());
  return listing;
}

Entry Root::entry(std::string_view path) const {
  const Reading place = walk(path, Last::follow);
  if (!place.ok()) return {place.access};
  return entry_at(place.text);
}

Reading Root::link(std::string_view path) const {
  Reading place = walk(path, Last::keep);
  if (!place.ok()) return {place.access, {}, false, std::move(place.trouble)};
  return link_at(place.text);
}

}  // namespace halyard::facts
