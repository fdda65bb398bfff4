// Blocks in the shape that copies fastest, see compile.hpp.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "pack/compile.hpp"

namespace halyard::pack {
namespace {

constexpr std::int64_t kFewestRowsToFuse = 4;
constexpr std::size_t kMostTries = 64;  // the faces of one patch come within its 26 pieces

struct Axis {
  std::int64_t count;
  std::int64_t source;
  std::int64_t target;
};

bool continues(const Axis& outer, const Axis& inner) {
  return outer.source == inner.source * inner.count && outer.target == inner.target * inner.count;
}

auto shape_of(const Block& b) { return std::tie(b.row_bytes, b.scalar, b.count, b.source_stride, b.target_stride); }

// Of blocks of one shape.
bool may_fuse(const Block& a, const Block& b, Strided strided) {
  if (a.count[0] < kFewestRowsToFuse || a.count[2] != 1) return false;
  const auto source = static_cast<std::int64_t>(b.source - a.source);
  const auto target = static_cast<std::int64_t>(b.target - a.target);
  return cost_of(source, target, strided) < cost_of(a.source_stride[0], a.target_stride[0], strided);
}

bool is_gone(const Block& block) { return block.row_bytes == 0; }

void fuse_two(Block& block, Block& other, Strided strided) {
  block.count[2] = 2;
  block.source_stride[2] = static_cast<std::int64_t>(other.source - block.source);
  block.target_stride[2] = static_cast<std::int64_t>(other.target - block.target);
  block = normalized(block, strided);
  other.row_bytes = 0;
}

void fuse_group(std::vector<Block>& blocks, std::span<const std::size_t> group, Strided strided) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (is_gone(blocks[group[i]])) continue;
    for (std::size_t j = i + 1; j < std::min(group.size(), i + 1 + kMostTries); ++j) {
      Block& other = blocks[group[j]];
      if (is_gone(other) || !may_fuse(blocks[group[i]], other, strided)) continue;
      fuse_two(blocks[group[i]], other, strided);
      break;
    }
  }
}

}  // namespace

std::int64_t cost_of(std::int64_t source_stride, std::int64_t target_stride, Strided strided) {
  if (strided == Strided::source) return std::abs(source_stride);
  if (strided == Strided::target) return std::abs(target_stride);
  return std::max(std::abs(source_stride), std::abs(target_stride));
}

std::vector<std::vector<std::size_t>> grouped_by_shape(const std::vector<Block>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shape_of(blocks[a]) < shape_of(blocks[b]); });
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t i : order) {
    if (groups.empty() || shape_of(blocks[groups.back().front()]) != shape_of(blocks[i])) groups.emplace_back();
    groups.back().push_back(i);
  }
  return groups;
}

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
  for (const auto& group : grouped_by_shape(blocks)) fuse_group(blocks, group, strided);
  std::erase_if(blocks, is_gone);
}

}  // namespace halyard::pack
