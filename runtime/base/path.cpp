// What paths are called, see halyard/path.hpp.
#include "halyard/path.hpp"

namespace halyard {

std::string_view name_of(Path path) {
  switch (path) {
    case Path::self:
      return "self";
    case Path::peer:
      return "peer";
    case Path::shared:
      return "shared";
    case Path::verbs:
      return "verbs";
    case Path::ucx:
      return "ucx";
    case Path::mpi:
      return "mpi";
  }
  return "unknown";
}

}  // namespace halyard
