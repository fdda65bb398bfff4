// Blocks in the shape that copies fastest, see compile.hpp.
#include <algorithm>
#include <cstdlib>

#include "pack/compile.hpp"

namespace halyard::pack {
namespace {

struct Axis {
  std::int64_t count;
  std::int64_t source;
  std::int64_t target;
};

std::int64_t longer_stride(const Axis& axis) { return std::max(std::abs(axis.source), std::abs(axis.target)); }

bool continues(const Axis& outer, const Axis& inner) {
  return outer.source == inner.source * inner.count && outer.target == inner.target * inner.count;
}

}  // namespace

Block normalized(Block block) {
  std::vector<Axis> axes;
  for (std::size_t a = 0; a < 3; ++a)
    if (block.count[a] != 1) axes.push_back({block.count[a], block.source_stride[a], block.target_stride[a]});
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return longer_stride(a) < longer_stride(b); });
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

}  // namespace halyard::pack
