// kernels: searches on a GPU, or their host twins on the emulated device. Each call enqueues launches on the default
// stream of a GPU, or the one it is given, and waits for nothing. What every warp reads is the GPU's memory: mapped
// host memory would be read over the bus by each of them.
#pragma once

#include "device/device.hpp"
#include "halyard/status.hpp"
#include "particles/device/search.hpp"

namespace halyard::particles::device {

/// A GPU of a device.
struct Gpu {
  halyard::device::Device* device = nullptr;
  int ordinal = 0;
};

/// Fills counts, then makes beginnings of them, tells the totals, and says where each group's numbers begin.
Status count(const Gpu& gpu, const Outside& search, const Selection& selection);
Status count(const Gpu& gpu, const WithinReach& search, const Selection& selection);
/// Writes the numbers, after count(), as far as there is room.
Status list(const Gpu& gpu, const Outside& search, const Selection& selection);
Status list(const Gpu& gpu, const WithinReach& search, const Selection& selection);
/// `count` words of Run::chain, after list().
Status chain(const Gpu& gpu, Stream stream, const Selection& selection, std::uint32_t count, std::uint32_t* chain);

/// Offsets of what lands, element by element: `bytes` each.
struct Landed {
  const LandedLink* links = nullptr;
  std::uint32_t num_links = 0;
  std::int64_t bytes = 0;
  std::int64_t* offsets = nullptr;
};
Status place_landed(const Gpu& gpu, Stream stream, const Landed& landed, std::uint32_t count);

/// Loads what chain() and place_landed() launch, which may come between an exchange's two halves (docs/gotchas.md).
Status load(const Gpu& gpu);

/// Where number `q` lands.
constexpr std::int64_t landed_at(const Landed& landed, std::uint32_t q) {
  std::uint32_t link = 0;
  while (link + 1 < landed.num_links && landed.links[link + 1].first <= q) ++link;
  return landed.links[link].address + std::int64_t{q - landed.links[link].first} * landed.bytes;
}

/// The CUDA twins of the above, on the current GPU; they refuse in a build without CUDA.
namespace cuda {
Status count(int ordinal, const Outside& search, const Selection& selection);
Status count(int ordinal, const WithinReach& search, const Selection& selection);
Status list(int ordinal, const Outside& search, const Selection& selection);
Status list(int ordinal, const WithinReach& search, const Selection& selection);
Status chain(int ordinal, Stream stream, const Selection& selection, std::uint32_t count, std::uint32_t* chain);
Status place_landed(int ordinal, Stream stream, const Landed& landed, std::uint32_t count);
Status load(int ordinal);
}  // namespace cuda

}  // namespace halyard::particles::device
