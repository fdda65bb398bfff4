// See path_filter.hpp.
#include "context/path_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest_name.hpp"
#include "halyard/status.hpp"

namespace halyard::context {
namespace {

std::size_t path_named(std::string_view name) {
  std::array<std::string_view, kNumPaths> names;
  for (std::size_t p = 0; p < kNumPaths; ++p) names[p] = name_of(static_cast<Path>(p));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(StatusCode::invalid_argument,
                fmt::format("HALYARD_PATH or Options::path names '{}', which is no path; did you mean {}? Paths are {}",
                            name, base::nearest_name(name, names), fmt::join(names, ", ")));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

PathFilter::PathFilter(std::string_view text) : text_(text) {
  const bool forbids = text.starts_with('^');
  if (forbids) text.remove_prefix(1);
  std::fill(std::begin(is_allowed_), std::end(is_allowed_), forbids || text.empty());
  while (!text.empty()) {
    const auto comma = text.find(',');
    is_allowed_[path_named(text.substr(0, comma))] = !forbids;
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
}

std::string PathFilter::refusal() const { return fmt::format("HALYARD_PATH={} does not allow it", text_); }

}  // namespace halyard::context
