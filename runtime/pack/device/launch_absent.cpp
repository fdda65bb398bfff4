// The CUDA kernel of a build without CUDA: it refuses, in words.
#include "pack/device/kernel.hpp"
#include "pack/device/numbered.hpp"
#include "pack/device/stamps/clock.hpp"

namespace halyard::pack::device {

Status launch_cuda(const TracedLaunch&, Stream, int) {
  return {StatusCode::not_supported, "launch an exchange on a GPU: Halyard was built without CUDA"};
}

Status load_cuda_kernels(int) {
  return {StatusCode::not_supported, "load kernels for a GPU: Halyard was built without CUDA"};
}

Status copy_numbered_cuda(const NumberedRuns&, Stream, int) {
  return {StatusCode::not_supported, "copy particles on a GPU: Halyard was built without CUDA"};
}

Status answer_clock_cuda(ClockTalk*, Stream, int) {
  return {StatusCode::not_supported, "read the clock of a GPU: Halyard was built without CUDA"};
}

Status mark_cuda(const StampLog&, std::uint64_t, Stream, int) {
  return {StatusCode::not_supported, "mark a moment of a GPU's stream: Halyard was built without CUDA"};
}

Status load_stamp_kernels_cuda(int) {
  return {StatusCode::not_supported, "load kernels for a GPU: Halyard was built without CUDA"};
}

}  // namespace halyard::pack::device
