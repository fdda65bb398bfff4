// Blocks in the shape that copies fastest, see compile.hpp.
#include <algorithm>
#include <cstdlib>

#include "pack/compile.hpp"

namespace halyard::pack {
namespace {

constexpr std::int64_t kFewestRowsToFuse = 4;

struct Axis {
  std::int64_t count;
  std::int64_t source;
  std::int64_t target;
};

// How far a step goes where it costs: in fields. A message is written and read in few sequential streams anyway.
std::int64_t cost_of(std::int64_t source_stride, std::int64_t target_stride, Strided strided) {
  if (strided == Strided::source) return std::abs(source_stride);
  if (strided == Strided::target) return std::abs(target_stride);
  return std::max(std::abs(source_stride), std::abs(target_stride));
}

bool continues(const Axis& outer, const Axis& inner) {
  return outer.source == inner.source * inner.count && outer.target == inner.target * inner.count;
}

bool same_shape(const Block& a, const Block& b) {
  return a.row_bytes == b.row_bytes && a.scalar == b.scalar && a.count == b.count &&
         a.source_stride == b.source_stride && a.target_stride == b.target_stride;
}

bool may_fuse(const Block& a, const Block& b, Strided strided) {
  if (!same_shape(a, b) || a.count[0] < kFewestRowsToFuse || a.count[2] != 1) return false;
  const auto source = static_cast<std::int64_t>(b.source - a.source);
  const auto target = static_cast<std::int64_t>(b.target - a.target);
  return cost_of(source, target, strided) < cost_of(a.source_stride[0], a.target_stride[0], strided);
}

}  // namespace

Block normalized(Block block, Strided strided) {
  std::vector<Axis> axes;
  for (std::size_t a = 0; a < 3; ++a)
    if (block.count[a] != 1) axes.push_back({block.count[a], block.source_stride[a], block.target_stride[a]});
  std::stable_sort(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) {
    return cost_of(a.source, a.target, strided) < cost_of(b.source, b.target, strided);
  });
  while (!axes.empty() && axes[0].source == block.row_bytes && axes[0].target == block.row_bytes) {
    block.row_bytes *= axes[0].count;
    axes.erase(axes.begin());
  }
  for (std::size_t i = 0; i + 1 < axes.size();) {
    if (!continues(axes[i + 1], axes[i])) {
      ++i;
      continue;
    }
    axes[i].count *= axes[i + 1].count;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const Axis axis = a < axes.size() ? axes[a] : Axis{1, 0, 0};
    block.count[a] = axis.count;
    block.source_stride[a] = axis.source;
    block.target_stride[a] = axis.target;
  }
  return block;
}

void fuse(std::vector<Block>& blocks, Strided strided) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t j = i + 1; j < blocks.size(); ++j) {
      if (!may_fuse(blocks[i], blocks[j], strided)) continue;
      blocks[i].count[2] = 2;
      blocks[i].source_stride[2] = static_cast<std::int64_t>(blocks[j].source - blocks[i].source);
      blocks[i].target_stride[2] = static_cast<std::int64_t>(blocks[j].target - blocks[i].target);
      blocks[i] = normalized(blocks[i], strided);
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(j));
      break;
    }
}

}  // namespace halyard::pack
