// See landed_places.hpp.
#include "particles/borders/gpu/landed_places.hpp"

#include "pack/device/compile_ghosts.hpp"

namespace halyard::particles {

std::vector<const std::int64_t*> LandedPlaces::list(const device::OnGpu& on_gpu, Stream stream,
                                                    std::span<const pack::device::ElementArray> arrays,
                                                    std::span<const From> links) {
  const auto& device = on_gpu.around.device;
  std::int64_t total = 0;
  for (const From& link : links) total += link.count;
  const std::size_t bytes = arrays.size() * links.size() * sizeof(device::LandedLink);
  (void)image_.fit(device, on_gpu.ordinal, bytes);
  auto* there = reinterpret_cast<device::LandedLink*>(links_.fit(device, on_gpu.ordinal, bytes));
  auto* places = reinterpret_cast<std::int64_t*>(
      places_.fit(device, on_gpu.ordinal, arrays.size() * static_cast<std::size_t>(total) * sizeof(std::int64_t)));
  write_links(arrays, links);
  if (bytes > 0) device->copy_in(stream, there, image_.get(), bytes, on_gpu.ordinal).or_throw();
  std::vector<const std::int64_t*> by_array;
  for (const auto& array : arrays) {
    device::place_landed(on_gpu.gpu(), stream,
                         {there, static_cast<std::uint32_t>(links.size()), array.element_bytes(), places},
                         static_cast<std::uint32_t>(total))
        .or_throw();
    by_array.push_back(places);
    places += total;
    there += links.size();
  }
  return by_array;
}

void LandedPlaces::write_links(std::span<const pack::device::ElementArray> arrays, std::span<const From> links) {
  auto* to = reinterpret_cast<device::LandedLink*>(image_.get());
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    std::uint32_t first = 0;
    for (const From& link : links) {
      const auto begin = pack::device::ghost_sections(arrays, link.count)[a];
      const auto count = static_cast<std::uint32_t>(link.count);
      *to++ = {first, count, static_cast<std::int64_t>(link.address) + begin};
      first += count;
    }
  }
}

}  // namespace halyard::particles
