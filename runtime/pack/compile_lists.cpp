// Finds the strided blocks in a list of element pairs: most index halos are boxes in disguise.
//
// Elements that follow each other at both ends become a row; rows of one shape at a constant distance a chain, chains
// of one shape a chain again, while a block has an axis left. The members of a chain need not be neighbors in the list:
// ghosts mostly come in the order of memory, where the rows of one face lie between those of others. So members are
// looked up by where they would have to lie. What stays short is left as a List.
#include <algorithm>
#include <bit>
#include <optional>

#include "pack/compile.hpp"

namespace halyard::pack {
namespace {

constexpr std::size_t kFewestElementsPerBlock = 4;
constexpr std::int64_t kFewestInChain = 3;  // two blocks are always at a constant distance

// How many blocks of its shape, in the order of the list, are tried as the second of a block's chain: the faces and
// edges of a box of width 2 put 8 between. Lists without structure are found out after some failures.
constexpr std::size_t kTries = 16;
constexpr std::size_t kTriesWithoutHope = 2;
constexpr int kMostFailures = 64;
// Of chains as long as this the one with the shorter step is the right one: steps over several rows at a time may go on
// through many planes.
constexpr std::int64_t kLong = 8;

struct Step {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

struct Chain {
  Step step;
  std::int64_t length = 1;
  std::int64_t cost = 0;  // of a step

  bool is_better_than(const Chain& other) const {
    return length != other.length ? length > other.length : cost < other.cost;
  }
};

// Which block starts where: a hash table of open addresses. The first one counts where several do.
class Starts {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit Starts(std::size_t count) : slots_(std::bit_ceil(2 * count + 1)) {}

  void add(Place source, Place target, std::size_t member) {
    Slot& slot = slots_[slot_of(source, target)];
    if (slot.member == kNone) slot = {source, target, member};
  }
  std::size_t find(Place source, Place target) const { return slots_[slot_of(source, target)].member; }

 private:
  struct Slot {
    Place source = 0;
    Place target = 0;
    std::size_t member = kNone;
  };

  // The slot of this start, or the free one where it would be.
  std::size_t slot_of(Place source, Place target) const {
    std::uint64_t hash = (source * 0x9e3779b97f4a7c15U) ^ std::rotl(target * 0xc2b2ae3d27d4eb4fU, 32);
    hash ^= hash >> 29;
    for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1))
      if (slots_[i].member == kNone || (slots_[i].source == source && slots_[i].target == target)) return i;
  }

  std::vector<Slot> slots_;
};

// Joins blocks of one shape to chains. Near-linear: few seconds are tried for each block, and what is in a chain is not
// looked at again. The order of the list and the distances alone decide, never an
// address, so that equal runs make equal programs.
class Chains {
 public:
  Chains(std::vector<Block>& blocks, std::span<const std::size_t> members, Strided strided)
      : blocks_(blocks), members_(members), strided_(strided), starts_(members.size()), is_taken_(members.size()) {
    for (std::size_t m = 0; m < members.size(); ++m) starts_.add(block(m).source, block(m).target, m);
  }

  /// Puts each chain of at least `fewest` blocks in the place of its first and empties the others.
  void join(std::int64_t fewest) {
    int num_failures = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (is_taken_[m]) continue;
      const auto chain = best_from(m, fewest, num_failures < kMostFailures ? kTries : kTriesWithoutHope);
      num_failures = chain ? 0 : num_failures + 1;
      if (chain) take(m, chain->step);
    }
  }

 private:
  Block& block(std::size_t member) const { return blocks_[members_[member]]; }

  std::optional<Chain> best_from(std::size_t first, std::int64_t fewest, std::size_t num_tries) const {
    std::optional<Chain> best;
    for (std::size_t second = first + 1; second < members_.size() && num_tries > 0; ++second) {
      if (is_taken_[second]) continue;
      --num_tries;
      const Chain chain = chain_of(first, second);
      if (chain.length >= fewest && (!best || chain.is_better_than(*best))) best = chain;
    }
    return best;
  }

  // As far as kLong.
  Chain chain_of(std::size_t first, std::size_t second) const {
    Chain chain;
    chain.step = {static_cast<std::int64_t>(block(second).source - block(first).source),
                  static_cast<std::int64_t>(block(second).target - block(first).target)};
    if (chain.step.source == 0 && chain.step.target == 0) return chain;  // the same pair twice
    chain.cost = cost_of(chain.step.source, chain.step.target, strided_);
    while (chain.length < kLong && is_free(member_at(first, chain.step, chain.length))) ++chain.length;
    return chain;
  }

  void take(std::size_t first, const Step& step) {
    std::int64_t length = 1;
    is_taken_[first] = true;
    for (std::size_t next = member_at(first, step, 1); is_free(next); next = member_at(first, step, ++length)) {
      is_taken_[next] = true;
      block(next).row_bytes = 0;
    }
    Block& joined = block(first);
    const auto axis =
        static_cast<std::size_t>(std::find(joined.count.begin(), joined.count.end(), 1) - joined.count.begin());
    joined.count[axis] = length;
    joined.source_stride[axis] = step.source;
    joined.target_stride[axis] = step.target;
  }

  std::size_t member_at(std::size_t first, const Step& step, std::int64_t n) const {
    return starts_.find(moved(block(first).source, n * step.source), moved(block(first).target, n * step.target));
  }
  bool is_free(std::size_t member) const { return member != Starts::kNone && !is_taken_[member]; }

  std::vector<Block>& blocks_;
  std::span<const std::size_t> members_;
  Strided strided_;
  Starts starts_;
  std::vector<bool> is_taken_;
};

bool has_free_axis(const Block& block) { return std::count(block.count.begin(), block.count.end(), 1) != 0; }

// One more axis for all blocks that lie in chains of at least `fewest`.
void join(std::vector<Block>& blocks, std::int64_t fewest, Strided strided) {
  for (const auto& group : grouped_by_shape(blocks))
    if (group.size() >= static_cast<std::size_t>(fewest) && has_free_axis(blocks[group.front()]))
      Chains(blocks, group, strided).join(fewest);
  std::erase_if(blocks, [](const Block& block) { return block.row_bytes == 0; });
}

std::vector<Block> rows_of(const Block& like, std::span<const std::int64_t> sources,
                           std::span<const std::int64_t> targets) {
  std::vector<Block> rows;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i > 0 && sources[i] == sources[i - 1] + like.row_bytes && targets[i] == targets[i - 1] + like.row_bytes) {
      rows.back().row_bytes += like.row_bytes;
      continue;
    }
    rows.push_back(like);
    rows.back().source = moved(like.source, sources[i]);
    rows.back().target = moved(like.target, targets[i]);
  }
  return rows;
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
  std::vector<Block> blocks = rows_of(like, source_offsets, target_offsets);
  for (int axis = 0; axis < 3; ++axis) {
    join(blocks, kFewestInChain, strided);
    if (2 * blocks.size() > source_offsets.size()) break;  // no structure: the next axis finds none either
  }
  if (blocks.size() * kFewestElementsPerBlock > source_offsets.size())
    return program.lists.push_back(list_of(like, source_offsets, target_offsets));
  for (int axis = 0; axis < 3; ++axis) join(blocks, 2, strided);  // layers of a halo of width 2, opposite faces
  for (const Block& block : blocks) program.blocks.push_back(normalized(block, strided));
}

}  // namespace halyard::pack
