// PathFilter: which paths Options::path allows. Pure.
#pragma once

#include <string>
#include <string_view>

#include "halyard/path.hpp"

namespace halyard::context {

class PathFilter {
 public:
  /// "shared,mpi" allows these, "^ucx" all but these, "" all. Throws Error(invalid_argument) that names the nearest
  /// path.
  explicit PathFilter(std::string_view text);

  bool allows(Path path) const { return path == Path::self || is_allowed_[static_cast<std::size_t>(path)]; }
  /// "HALYARD_PATH=^ucx does not allow it".
  std::string refusal() const;

 private:
  std::string text_;
  bool is_allowed_[kNumPaths];
};

}  // namespace halyard::context
