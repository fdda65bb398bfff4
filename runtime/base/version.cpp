// What was built, see halyard/version.hpp.
#include "halyard/version.hpp"

#include "halyard_config.hpp"

namespace halyard {

std::string_view version() { return HALYARD_VERSION_STRING; }

std::string_view commit() { return HALYARD_GIT_COMMIT; }

}  // namespace halyard
