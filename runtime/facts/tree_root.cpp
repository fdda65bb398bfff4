// See tree_root.hpp.
#include "facts/tree_root.hpp"

#include <algorithm>

namespace halyard::facts {
namespace {

constexpr std::string_view kOutputFolder = "/.halyard/output/";

bool is_plain(std::string_view path) {
  if (!path.starts_with('/') || path.size() < 2 || path.size() > 4096) return false;
  std::size_t begin = 1;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return path.find('\0') == std::string_view::npos;
}

}  // namespace

std::string output_path(std::string_view question) {
  std::string path(kOutputFolder);
  for (const char c : question) path += c == '/' ? '%' : c;
  return path;
}

Reading TreeRoot::output(std::string_view question) const { return read(output_path(question)); }

bool TreeRoot::put(std::string_view path, Node node) {
  if (!is_plain(path) || nodes_.size() + 64 > kMostNodes) return false;
  for (std::size_t slash = path.find('/', 1); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const auto [above, is_new] = nodes_.try_emplace(std::string(path.substr(0, slash)), Node{Kind::folder});
    if (is_new) above->second.mode = 0755;
    if (above->second.kind != Kind::folder) return false;
  }
  nodes_.insert_or_assign(std::string(path), std::move(node));
  return true;
}

bool TreeRoot::put_file(std::string_view path, std::string text) {
  Node node;
  node.text = std::move(text);
  return put(path, std::move(node));
}

bool TreeRoot::put_link(std::string_view path, std::string target) {
  Node node{Kind::link};
  node.text = std::move(target);
  return put(path, std::move(node));
}

bool TreeRoot::put_folder(std::string_view path) {
  if (const Node* node = find(std::string(path)); node != nullptr) return node->kind == Kind::folder;
  Node node{Kind::folder};
  node.mode = 0755;
  return put(path, std::move(node));
}

void TreeRoot::remove(std::string_view path) {
  const std::string below = std::string(path) + "/";
  nodes_.erase(std::string(path));
  const auto first = nodes_.lower_bound(below);
  auto last = first;
  while (last != nodes_.end() && last->first.starts_with(below)) ++last;
  nodes_.erase(first, last);
}

const TreeRoot::Node* TreeRoot::find(const std::string& path) const {
  static const Node kTop{Kind::folder, Access::ok, 0755, 0, 0, {}};
  if (path == "/") return &kTop;
  const auto found = nodes_.find(path);
  return found == nodes_.end() ? nullptr : &found->second;
}

Entry TreeRoot::entry_at(const std::string& path) const {
  // What lies in a folder that may not be entered is not seen.
  const Node* above = find(path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)));
  if (path != "/" && above != nullptr && above->access != Access::ok) return {above->access};
  const Node* node = find(path);
  if (node == nullptr) return {};
  return {Access::ok, node->kind, node->mode, node->owner, node->group, node->text.size()};
}

Reading TreeRoot::read_at(const std::string& path, std::size_t most_bytes) const {
  const Node* node = find(path);
  if (node == nullptr) return {};
  if (node->access != Access::ok) return {node->access, {}, false, {}};
  if (node->kind != Kind::file) return {Access::unusable, {}, false, "not a file"};
  return {Access::ok, node->text.substr(0, most_bytes), node->text.size() > most_bytes, {}};
}

Listing TreeRoot::list_at(const std::string& path) const {
  const Node* node = find(path);
  if (node == nullptr) return {};
  if (node->access != Access::ok) return {node->access, {}, false};
  if (node->kind != Kind::folder) return {Access::unusable, {}, false};
  Listing listing{Access::ok, {}, false};
  const std::string below = path == "/" ? path : path + "/";
  auto place = nodes_.upper_bound(below);
  while (place != nodes_.end() && place->first.starts_with(below)) {
    const std::size_t end = std::min(place->first.find('/', below.size()), place->first.size());
    if (end != place->first.size()) {  // below a folder that was named before; '0' follows '/'
      place = nodes_.lower_bound(place->first.substr(0, end) + "0");
      continue;
    }
    if (listing.names.size() == kMostNames) {
      listing.is_cut = true;
      break;
    }
    listing.names.push_back(place->first.substr(below.size()));
    ++place;
  }
  return listing;
}

Reading TreeRoot::link_at(const std::string& path) const {
  const Node* node = find(path);
  if (node == nullptr) return {};
  if (node->access != Access::ok) return {node->access, {}, false, {}};
  if (node->kind != Kind::link) return {Access::unusable, {}, false, "not a link"};
  return {Access::ok, node->text, false, {}};
}

}  // namespace halyard::facts
