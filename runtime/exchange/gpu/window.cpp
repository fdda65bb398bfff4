// See window.hpp. A window is: the arena's handle or why not, offsets, the fields' handles or why not.
#include "exchange/gpu/window.hpp"

#include <bit>

#include "exchange/view_check.hpp"
#include "transport/blob.hpp"

namespace halyard::exchange::gpu {
namespace {

using transport::append;
using transport::append_bytes;
using transport::append_text;
using transport::Blob;

struct Offsets {
  std::uint64_t words = 0;
  std::uint64_t landing = 0;
  std::uint64_t slot_bytes = 0;
  std::uint64_t alignment = 1;
};

struct FieldPlace {
  std::int64_t to_first_owned = 0;
  Index3 stride_bytes{0, 0, 0};
};

// A handle with why = "", or an empty handle with the reason.
void append_handle(Blob& blob, const void* address, device::Device& device) {
  Blob handle;
  std::string why;
  try {
    if (address != nullptr) handle = device.export_memory(address);
  } catch (const Error& error) {
    why = error.what();
  }
  append_bytes(blob, handle);
  append_text(blob, why);
}

void append_field(Blob& blob, const FieldView& view, device::Device& device) {
  const auto bytes = span_of(view);
  append_handle(blob, bytes.empty() ? nullptr : bytes.data(), device);
  FieldPlace place;
  place.stride_bytes = view.stride_bytes;
  if (!bytes.empty())
    place.to_first_owned = static_cast<std::int64_t>(pack::grid_of(view).first_owned - pack::place_of(bytes.data()));
  append(blob, place);
}

struct Mapped {
  std::byte* data = nullptr;  // null with an empty reason: there was nothing to map
  std::string why;
};

Mapped map(transport::BlobReader& reader, device::Device& device, int ordinal, PeerWindow& window) {
  const auto handle = reader.read_bytes();
  const std::string why = reader.read_text();
  if (handle.empty()) return {nullptr, why};
  try {
    window.mappings.push_back(device.open(handle, ordinal));
    return {window.mappings.back()->data(), {}};
  } catch (const Error& error) {
    return {nullptr, error.what()};
  }
}

void read_fields(transport::BlobReader& reader, device::Device& device, int ordinal, PeerWindow& window) {
  window.has_fields = true;
  window.grids.resize(reader.read<std::uint64_t>());
  for (pack::Grid& grid : window.grids) {
    const Mapped mapped = map(reader, device, ordinal, window);
    const auto place = reader.read<FieldPlace>();
    grid.stride_bytes = place.stride_bytes;
    grid.first_owned = pack::moved(pack::place_of(mapped.data), place.to_first_owned);
    if (mapped.why.empty() || !window.has_fields) continue;
    window.has_fields = false;
    window.why_no_fields = mapped.why;
  }
}

}  // namespace

std::uint64_t alignment_of(std::span<const FieldView> views) {
  std::uint64_t all = 16;
  for (const FieldView& view : views) {
    if (span_of(view).empty()) continue;
    all |= pack::grid_of(view).first_owned;
    for (const std::int64_t stride : view.stride_bytes) all |= static_cast<std::uint64_t>(stride);
  }
  return std::uint64_t{1} << std::countr_zero(all);
}

Blob window_of(const OwnWindow& own, device::Device& device) {
  Blob blob;
  append_handle(blob, own.arena, device);
  append(blob, Offsets{own.words_offset, own.landing_offset, own.slot_bytes, alignment_of(own.views)});
  append(blob, static_cast<std::uint64_t>(own.views.size()));
  for (const FieldView& view : own.views) append_field(blob, view, device);
  return blob;
}

PeerWindow open_window(std::span<const std::byte> blob, device::Device& device, int ordinal) {
  PeerWindow window;
  transport::BlobReader reader(blob);
  const Mapped arena = map(reader, device, ordinal, window);
  const auto offsets = reader.read<Offsets>();
  window.alignment = offsets.alignment;
  window.has_landing = arena.data != nullptr;
  window.why_no_landing = arena.why;
  if (window.has_landing) {
    window.has_whole_lines = device.stores_lines_whole(transport::BlobReader(blob).read_bytes(), ordinal);
    window.words = reinterpret_cast<std::uint64_t*>(arena.data + offsets.words);
    window.landing = pack::place_of(arena.data + offsets.landing);
    window.slot_bytes = offsets.slot_bytes;
  }
  read_fields(reader, device, ordinal, window);
  if (!window.has_landing) window.has_fields = false;
  return window;
}

}  // namespace halyard::exchange::gpu
