// open_cuda() in a build without CUDA, see factory.hpp.
#include "device/factory.hpp"

namespace halyard::device {

Opened open_cuda() { return {nullptr, "built without CUDA"}; }

}  // namespace halyard::device
