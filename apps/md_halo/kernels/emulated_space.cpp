// See emulated_space.hpp.
#include "kernels/emulated_space.hpp"

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "halyard/status.hpp"

namespace halyard::md {
namespace {

struct Open {
  EmulatedGpu* gpu = nullptr;
  Stream stream;
};
Open open;

// Long enough for the host to get ahead, so that a wait that is missing shows.
constexpr std::chrono::microseconds kDelay{300};

#ifdef KOKKOS_ENABLE_SERIAL
constexpr bool kRunsInAnyThread = std::is_same_v<EmulatedSpace::execution_space, Kokkos::Serial>;
#else
constexpr bool kRunsInAnyThread = false;
#endif

}  // namespace

void EmulatedSpace::fence() { gpu().synchronize(stream()); }
void EmulatedSpace::wait_for_all() noexcept {
  try {
    fence();
  } catch (const Error&) {  // whoever needs what failed will say so
  }
}
Stream EmulatedSpace::stream() { return open.stream; }
EmulatedGpu& EmulatedSpace::gpu() { return *open.gpu; }
void EmulatedSpace::enqueue(std::function<void()> work) { gpu().enqueue(stream(), std::move(work)); }

EmulatedScope::EmulatedScope(const Context& context) : gpu_(context) {
  if (!kRunsInAnyThread)
    throw std::runtime_error(
        "--device emulated: this Kokkos computes with several threads on the host and is called from one of them only; "
        "use a Kokkos whose host space is Serial");
  stream_ = gpu_.create_stream(kDelay);
  open = {&gpu_, stream_};
}

EmulatedScope::~EmulatedScope() {
  open = {};
  gpu_.destroy_stream(stream_);
}

}  // namespace halyard::md
