// See segments.hpp.
#include "pack/segments.hpp"

#include <algorithm>

namespace halyard::pack {
namespace {

void append_rows(const Block& block, std::vector<Segment>& rows) {
  for (std::int64_t k = 0; k < block.count[2]; ++k)
    for (std::int64_t j = 0; j < block.count[1]; ++j)
      for (std::int64_t i = 0; i < block.count[0]; ++i) {
        const std::int64_t source =
            i * block.source_stride[0] + j * block.source_stride[1] + k * block.source_stride[2];
        const std::int64_t target =
            i * block.target_stride[0] + j * block.target_stride[1] + k * block.target_stride[2];
        rows.push_back(
            {moved(block.source, source), static_cast<std::int64_t>(block.target) + target, block.row_bytes});
      }
}

bool continues(const Segment& next, const Segment& before) {
  return next.source == moved(before.source, before.bytes) && next.offset == before.offset + before.bytes;
}

}  // namespace

std::int64_t num_rows(const Program& packing) {
  std::int64_t rows = 0;
  for (const Block& block : packing.blocks) rows += block.count[0] * block.count[1] * block.count[2];
  for (const List& list : packing.lists) rows += list.num_elements;
  for (const Gather& gather : packing.gathers) rows += gather.num_elements;
  return rows;
}

std::optional<std::vector<Segment>> segments_of(const Program& packing, std::size_t most) {
  constexpr std::int64_t kRowsPerSegment = 16;  // pieces of a message may continue each other
  if (!packing.lists.empty() || !packing.gathers.empty()) return std::nullopt;
  if (num_rows(packing) > static_cast<std::int64_t>(most) * kRowsPerSegment) return std::nullopt;
  std::vector<Segment> rows;
  for (const Block& block : packing.blocks) append_rows(block, rows);
  std::sort(rows.begin(), rows.end(), [](const Segment& a, const Segment& b) { return a.offset < b.offset; });
  std::vector<Segment> segments;
  for (const Segment& row : rows) {
    if (!segments.empty() && continues(row, segments.back()))
      segments.back().bytes += row.bytes;
    else
      segments.push_back(row);
  }
  if (segments.size() > most) return std::nullopt;
  return segments;
}

}  // namespace halyard::pack
