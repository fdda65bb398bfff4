// See chunks.hpp.
#include "pack/device/chunks.hpp"

#include <algorithm>
#include <numeric>

namespace halyard::pack::device {
namespace {

constexpr std::uint32_t kPacketTileWords = kPacketWords * kPacketsPerTile;

// Of a section: its cells, and how many of them chunks begin with, so that they begin with whole units or whole
// packets.
struct Cuts {
  std::int64_t cells = 0;
  std::int64_t step = 1;
  std::uint32_t num_chunks = 0;

  Cuts(const std::vector<Part>& section, std::uint32_t chunks) : num_chunks(chunks) {
    if (section.empty()) return;
    cells = section.back().first_cell + section.back().num_cells;
    const Run& run = section.front().run;
    const std::int64_t element_bytes = section.front().units_per_cell_times_16 * run.unit_bytes / 16;
    const std::int64_t whole = run.packets == Packets::none ? 16 : kPacketDataBytes;
    step = whole / std::gcd(whole, element_bytes);
  }
  std::int64_t first_of(std::uint32_t chunk) const {
    return chunk == num_chunks ? cells : cells * chunk / num_chunks / step * step;
  }
};

void append_tiles(const Part& part, std::uint32_t run, std::int64_t first_cell, std::int64_t last_cell,
                  std::vector<Tile>& tiles) {
  const std::int64_t lo = std::max(first_cell - part.first_cell, std::int64_t{0});
  const std::int64_t hi = std::min(last_cell - part.first_cell, part.num_cells);
  if (lo >= hi) return;
  const auto first = static_cast<std::uint32_t>(lo * part.units_per_cell_times_16 / 16);
  const auto last = static_cast<std::uint32_t>(hi * part.units_per_cell_times_16 / 16);
  const std::uint32_t most = part.run.packets == Packets::none ? kWarp * kUnitsPerLane : kPacketTileWords;
  for (std::uint32_t unit = first; unit < last; unit += most)
    tiles.push_back({run, unit, std::min(last - unit, most), 0});
}

void take_turns(const std::vector<std::vector<Tile>>& lanes, std::vector<Tile>& tiles) {
  std::size_t longest = 0;
  std::size_t all = 0;
  for (const auto& lane : lanes) {
    longest = std::max(longest, lane.size());
    all += lane.size();
  }
  tiles.reserve(all);
  for (std::size_t i = 0; i < longest; ++i)
    for (const auto& lane : lanes)
      if (i < lane.size()) tiles.push_back(lane[i]);
}

void fill_lanes(const std::vector<std::vector<Part>>& sections, const std::vector<Cuts>& cuts, std::uint32_t first_run,
                std::uint32_t chunk, std::vector<std::vector<Tile>>& lanes) {
  std::uint32_t run = first_run;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    lanes[s].clear();
    const std::int64_t first = cuts[s].first_of(chunk);
    const std::int64_t last = cuts[s].first_of(chunk + 1);
    for (const Part& part : sections[s]) append_tiles(part, run++, first, last, lanes[s]);
  }
}

}  // namespace

// Measured on two H200 (docs/adr/0010, 0044): small messages want many small chunks, large ones three or four rounds of
// blocks.
std::uint32_t num_chunks_of(std::int64_t bytes) {
  constexpr std::int64_t kKiB = 1 << 10;
  constexpr std::int64_t kMiB = 1 << 20;
  if (bytes <= 0) return 0;
  if (bytes <= 64 * kKiB) return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes / 512, 1, 32));
  if (bytes <= 512 * kKiB) return 64;
  if (bytes <= 2 * kMiB) return 132;
  return bytes < 4 * kMiB ? 396 : 528;
}

std::uint32_t num_packet_chunks_of(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  const std::int64_t bytes_per_chunk = bytes <= 64 << 10 ? 1920 : 3840;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(bytes / bytes_per_chunk, 1));
}

void append_chunks(const std::vector<std::vector<Part>>& sections, std::uint32_t num_chunks, Chunk like,
                   std::vector<Run>& runs, std::vector<Draft>& drafts) {
  const auto first_run = static_cast<std::uint32_t>(runs.size());
  for (const auto& section : sections)
    for (const Part& part : section) runs.push_back(part.run);
  const bool is_receive = like.wait >= kFirstArrived && like.num_waits > 0;
  std::vector<Cuts> cuts;
  for (const auto& section : sections) cuts.emplace_back(section, num_chunks);
  std::vector<std::vector<Tile>> lanes(sections.size());  // of one chunk after the other
  for (std::uint32_t k = 0; k < num_chunks; ++k) {
    fill_lanes(sections, cuts, first_run, k, lanes);
    Draft draft{like, {}};
    take_turns(lanes, draft.tiles);
    drafts.push_back(std::move(draft));
    if (like.signal != nullptr) like.signal += kWordStride;
    if (is_receive) ++like.wait;
  }
}

std::uint32_t append(const std::vector<Draft>& drafts, Tables& tables) {
  for (const Draft& draft : drafts) {
    Chunk chunk = draft.chunk;
    const bool is_shared = chunk.worker > 0;  // tiles with the chunk before it
    chunk.first_tile = is_shared ? tables.chunks.back().first_tile : static_cast<std::uint32_t>(tables.tiles.size());
    chunk.num_tiles = is_shared ? tables.chunks.back().num_tiles : static_cast<std::uint32_t>(draft.tiles.size());
    tables.tiles.insert(tables.tiles.end(), draft.tiles.begin(), draft.tiles.end());
    tables.chunks.push_back(chunk);
  }
  return static_cast<std::uint32_t>(drafts.size());
}

}  // namespace halyard::pack::device
