// See kernels.hpp: which twin runs, and the host twins.
#include "particles/device/kernels.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "device/emulated.hpp"
#include "pack/device/tables.hpp"

namespace halyard::particles::device {
namespace {

using halyard::device::EmulatedDevice;

template <class T>
T* seen(const EmulatedDevice& device, T* address) {
  return address == nullptr ? nullptr : reinterpret_cast<T*>(device.host_view(address));
}

// The same tables with addresses that the host can read.
Coordinates readable(const EmulatedDevice& device, Coordinates x) {
  for (const std::byte*& first : x.first) first = seen(device, first);
  return x;
}
Outside readable(const EmulatedDevice& device, Outside search) {
  search.x = readable(device, search.x);
  return search;
}
WithinReach readable(const EmulatedDevice& device, WithinReach search) {
  search.x = readable(device, search.x);
  for (ReachAxis& axis : search.axes) axis.intervals = seen(device, axis.intervals);
  search.groups = seen(device, search.groups);
  return search;
}
Selection readable(const EmulatedDevice& device, Selection selection) {
  selection.counts = seen(device, selection.counts);
  selection.first = seen(device, selection.first);
  selection.told = seen(device, selection.told);
  selection.numbers = seen(device, selection.numbers);
  return selection;
}

template <class Search, class Visit>
void visit_members(const Search& search, const Selection& selection, const Visit& visit) {
  for (std::int64_t i = 0; i < selection.num_particles; ++i) {
    const Found found = search.look(i);
    if (!found.is_any) continue;
    for (std::uint32_t g = 0; g < selection.num_groups; ++g)
      if (search.belongs(found, g)) visit(g, static_cast<std::uint32_t>(i / kSegment), i);
  }
}

void scan_on_host(const Selection& selection) {
  selection.first[0] = 0;
  for (std::uint32_t g = 0; g < selection.num_groups; ++g) {
    std::uint32_t sum = 0;
    std::uint32_t* counts = selection.counts + std::size_t{g} * selection.num_segments;
    for (std::uint32_t s = 0; s < selection.num_segments; ++s) sum += std::exchange(counts[s], sum);
    selection.told[g] = sum;
    selection.first[g + 1] = selection.first[g] + sum;
  }
}

template <class Search>
void count_on_host(const Search& search, const Selection& selection) {
  std::fill_n(selection.counts, std::size_t{selection.num_groups} * selection.num_segments, 0U);
  visit_members(search, selection, [&](std::uint32_t group, std::uint32_t segment, std::int64_t) {
    ++selection.counts[std::size_t{group} * selection.num_segments + segment];
  });
  scan_on_host(selection);
}

// As the kernel does, beginnings stay as they are.
template <class Search>
void list_on_host(const Search& search, const Selection& selection) {
  std::vector<std::uint32_t> next(selection.counts,
                                  selection.counts + std::size_t{selection.num_groups} * selection.num_segments);
  visit_members(search, selection, [&](std::uint32_t group, std::uint32_t segment, std::int64_t i) {
    const std::uint32_t at = selection.first[group] + next[std::size_t{group} * selection.num_segments + segment]++;
    if (at < selection.capacity) selection.numbers[at] = static_cast<std::int32_t>(i);
  });
}

// Runs `twin` in a stream of the emulated device.
template <class Twin>
Status enqueue(const Gpu& gpu, Stream stream, const Twin& twin) {
  auto& emulated = static_cast<EmulatedDevice&>(*gpu.device);
  return emulated.enqueue(stream, [twin, &emulated] { twin(emulated); });
}
bool is_emulated(const Gpu& gpu) { return gpu.device->kind() == "emulated"; }

template <class Search>
Status count_any(const Gpu& gpu, const Search& search, const Selection& selection) {
  if (!is_emulated(gpu)) return cuda::count(gpu.ordinal, search, selection);
  return enqueue(gpu, {}, [=](const EmulatedDevice& device) {
    count_on_host(readable(device, search), readable(device, selection));
  });
}

template <class Search>
Status list_any(const Gpu& gpu, const Search& search, const Selection& selection) {
  if (!is_emulated(gpu)) return cuda::list(gpu.ordinal, search, selection);
  return enqueue(gpu, {}, [=](const EmulatedDevice& device) {
    list_on_host(readable(device, search), readable(device, selection));
  });
}

}  // namespace

Status count(const Gpu& gpu, const Outside& search, const Selection& selection) {
  return count_any(gpu, search, selection);
}
Status count(const Gpu& gpu, const WithinReach& search, const Selection& selection) {
  return count_any(gpu, search, selection);
}
Status list(const Gpu& gpu, const Outside& search, const Selection& selection) {
  return list_any(gpu, search, selection);
}
Status list(const Gpu& gpu, const WithinReach& search, const Selection& selection) {
  return list_any(gpu, search, selection);
}

Status chain(const Gpu& gpu, Stream stream, const Selection& selection, std::uint32_t count, std::uint32_t* chain) {
  if (count == 0) return {};
  if (!is_emulated(gpu)) return cuda::chain(gpu.ordinal, stream, selection, count, chain);
  return enqueue(gpu, stream, [=](const EmulatedDevice& device) {
    const Selection lists = readable(device, selection);
    std::uint32_t* words = seen(device, chain);
    for (std::uint32_t q = 0; q < count; ++q) words[q] = chain_of(lists, q, pack::device::kNotFirst);
  });
}

Status load(const Gpu& gpu) { return is_emulated(gpu) ? Status{} : cuda::load(gpu.ordinal); }

Status place_landed(const Gpu& gpu, Stream stream, const Landed& landed, std::uint32_t count) {
  if (count == 0) return {};
  if (!is_emulated(gpu)) return cuda::place_landed(gpu.ordinal, stream, landed, count);
  return enqueue(gpu, stream, [=](const EmulatedDevice& device) {
    Landed there = landed;
    there.links = seen(device, landed.links);
    there.offsets = seen(device, landed.offsets);
    for (std::uint32_t q = 0; q < count; ++q) there.offsets[q] = landed_at(there, q);
  });
}

}  // namespace halyard::particles::device
