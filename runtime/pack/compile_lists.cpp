// Finds the strided blocks in a list of element pairs: most index halos are boxes in disguise.
//
// Level by level: elements with a constant distance become a run; runs of the same shape with a constant distance
// become a plane; planes a volume. What stays short is left as a List.
#include <utility>

#include "pack/compile.hpp"

namespace halyard::pack {
namespace {

constexpr std::size_t kFewestElementsPerBlock = 4;

bool same_shape(const Block& a, const Block& b) {
  return a.count == b.count && a.source_stride == b.source_stride && a.target_stride == b.target_stride;
}

std::int64_t distance(Place from, Place to) { return static_cast<std::int64_t>(to - from); }

// Joins neighbors of one shape and constant distance along `axis`.
std::vector<Block> joined(const std::vector<Block>& blocks, std::size_t axis) {
  std::vector<Block> result;
  for (std::size_t i = 0; i < blocks.size();) {
    Block block = blocks[i];
    std::size_t next = i + 1;
    if (next < blocks.size() && same_shape(blocks[i], blocks[next])) {
      const std::int64_t source = distance(blocks[i].source, blocks[next].source);
      const std::int64_t target = distance(blocks[i].target, blocks[next].target);
      while (next < blocks.size() && same_shape(blocks[i], blocks[next]) &&
             distance(blocks[next - 1].source, blocks[next].source) == source &&
             distance(blocks[next - 1].target, blocks[next].target) == target)
        ++next;
      block.count[axis] = static_cast<std::int64_t>(next - i);
      block.source_stride[axis] = source;
      block.target_stride[axis] = target;
    }
    result.push_back(block);
    i = next;
  }
  return result;
}

bool is_dense(std::span<const std::int64_t> offsets, std::int64_t element_bytes) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] != static_cast<std::int64_t>(i) * element_bytes) return false;
  return true;
}

List list_of(const Block& like, std::span<const std::int64_t> sources, std::span<const std::int64_t> targets) {
  List list{like.source, like.target, like.row_bytes, static_cast<std::int64_t>(sources.size()), {}, {}, like.scalar};
  if (!is_dense(sources, like.row_bytes)) list.source_offsets.assign(sources.begin(), sources.end());
  if (!is_dense(targets, like.row_bytes)) list.target_offsets.assign(targets.begin(), targets.end());
  return list;
}

}  // namespace

void append_pairs(const Block& like, std::span<const std::int64_t> source_offsets,
                  std::span<const std::int64_t> target_offsets, Program& program, Strided strided) {
  std::vector<Block> blocks(source_offsets.size(), like);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].source = moved(like.source, source_offsets[i]);
    blocks[i].target = moved(like.target, target_offsets[i]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) blocks = joined(blocks, axis);
  if (blocks.size() * kFewestElementsPerBlock > source_offsets.size())
    return program.lists.push_back(list_of(like, source_offsets, target_offsets));
  for (const Block& block : blocks) program.blocks.push_back(normalized(block, strided));
}

}  // namespace halyard::pack
