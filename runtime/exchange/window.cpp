// See window.hpp. A window is a flag, a count, and for each view: token of its lowest address, distance from there to
// the first owned cell, strides.
#include "exchange/window.hpp"

#include "exchange/view_check.hpp"
#include "transport/blob.hpp"

namespace halyard::exchange {
namespace {

struct Entry {
  std::uint64_t token = 0;
  std::int64_t to_first_owned = 0;
  Index3 stride_bytes{0, 0, 0};
};

std::optional<Entry> entry_of(const FieldView& view, const transport::Worker& worker) {
  const auto bytes = span_of(view);
  if (bytes.empty()) return Entry{};  // nothing there to read
  const auto token = worker.exported(bytes.data(), bytes.size());
  if (!token) return std::nullopt;
  const pack::Grid grid = pack::grid_of(view);
  return Entry{*token, static_cast<std::int64_t>(grid.first_owned - pack::place_of(bytes.data())), view.stride_bytes};
}

}  // namespace

transport::Blob closed_window() {
  transport::Blob blob;
  transport::append(blob, std::uint64_t{0});
  return blob;
}

transport::Blob window_of(std::span<const FieldView> views, const transport::Worker& worker) {
  transport::Blob blob;
  transport::append(blob, std::uint64_t{1});
  transport::append(blob, static_cast<std::uint64_t>(views.size()));
  for (const FieldView& view : views) {
    const auto entry = entry_of(view, worker);
    if (!entry) return closed_window();
    transport::append(blob, *entry);
  }
  return blob;
}

std::string closed_fields(std::span<const FieldView> views, const transport::Worker& worker) {
  std::string names;
  for (const FieldView& view : views) {
    if (entry_of(view, worker) || names.find(view.name) != std::string::npos) continue;
    names += (names.empty() ? "" : ", ") + view.name;
  }
  return names;
}

bool is_open(std::span<const std::byte> window) { return transport::BlobReader(window).read<std::uint64_t>() != 0; }

std::optional<std::vector<pack::Grid>> grids_of(std::span<const std::byte> window, int peer,
                                                const transport::Worker& worker) {
  transport::BlobReader reader(window);
  if (reader.read<std::uint64_t>() == 0) return std::nullopt;
  std::vector<pack::Grid> grids(reader.read<std::uint64_t>());
  for (pack::Grid& grid : grids) {
    const auto entry = reader.read<Entry>();
    grid.first_owned = pack::moved(pack::place_of(worker.map(peer, entry.token)), entry.to_first_owned);
    grid.stride_bytes = entry.stride_bytes;
  }
  return grids;
}

}  // namespace halyard::exchange
