// The CUDA kernels of a build without CUDA: they refuse, in words.
#include "particles/device/kernels.hpp"

namespace halyard::particles::device::cuda {
namespace {

Status refusal() { return {StatusCode::not_supported, "search particles on a GPU: Halyard was built without CUDA"}; }

}  // namespace

Status count(int, const Outside&, const Selection&) { return refusal(); }
Status count(int, const WithinReach&, const Selection&) { return refusal(); }
Status list(int, const Outside&, const Selection&) { return refusal(); }
Status list(int, const WithinReach&, const Selection&) { return refusal(); }
Status chain(int, Stream, const Selection&, std::uint32_t, std::uint32_t*) { return refusal(); }
Status place_landed(int, Stream, const Landed&, std::uint32_t) { return refusal(); }
Status load(int) { return refusal(); }

}  // namespace halyard::particles::device::cuda
