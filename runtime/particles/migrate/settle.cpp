// See settle.hpp.
#include "particles/migrate/settle.hpp"

#include <algorithm>

#include "pack/gather.hpp"

namespace halyard::particles {
namespace {

void add(std::vector<Move>& moves, std::int64_t from, std::int64_t to, std::int64_t count) {
  if (count > 0) moves.push_back({from, to, count});
}

void plan_any(std::span<const std::int32_t> leavers, std::int64_t total, std::vector<Move>& moves) {
  std::int64_t last = total - 1;
  std::size_t num_behind = leavers.size();  // leavers at or below `last`
  const std::int64_t kept = total - static_cast<std::int64_t>(leavers.size());
  for (const std::int32_t hole : leavers) {
    if (hole >= kept) return;
    while (num_behind > 0 && leavers[num_behind - 1] == last) {
      --num_behind;
      --last;
    }
    add(moves, last--, hole, 1);
  }
}

void plan_stable(std::span<const std::int32_t> leavers, std::int64_t total, std::vector<Move>& moves) {
  for (std::size_t h = 0; h < leavers.size(); ++h) {
    const std::int64_t from = leavers[h] + 1;
    const std::int64_t end = h + 1 < leavers.size() ? leavers[h + 1] : total;
    add(moves, from, from - static_cast<std::int64_t>(h) - 1, end - from);
  }
}

// Rows beside each other move at once; a target that overlaps its source lies below it.
void move_rows(const ParticleArray& array, std::span<const Move> moves) {
  auto* data = static_cast<std::byte*>(array.data);
  const auto bytes = static_cast<std::size_t>(array.stride_bytes);
  for (const Move& move : moves)
    std::memmove(data + move.to * array.stride_bytes, data + move.from * array.stride_bytes,
                 static_cast<std::size_t>(move.count) * bytes);
}

// Element by element, upwards: copy_gather goes in that order.
void move_elements(const ParticleArray& array, std::span<const Move> moves) {
  auto* data = static_cast<std::byte*>(array.data);
  pack::Gather gather;
  gather.element = array.element;
  gather.source_stride = gather.target_stride = strides_of(array);
  for (const Move& move : moves) {
    gather.num_elements = move.count;
    pack::copy_gather(gather, data + move.from * array.stride_bytes, data + move.to * array.stride_bytes);
  }
}

bool is_dense(const ParticleArray& array) {
  const bool is_row = array.element.count == 1 ||
                      array.component_stride_bytes == static_cast<std::int64_t>(bytes_of(array.element.scalar));
  return is_row && array.stride_bytes == static_cast<std::int64_t>(array.element.bytes());
}

}  // namespace

void plan_moves(MigrateOrder order, std::span<const std::int32_t> leavers, std::int64_t total,
                std::vector<Move>& moves) {
  moves.clear();
  if (order == MigrateOrder::any) return plan_any(leavers, total, moves);
  plan_stable(leavers, total, moves);
}

void run_moves(std::span<const Move> moves, const Particles& particles, const Roles& roles) {
  for (const std::size_t number : roles.migrating) {
    const ParticleArray& array = particles.arrays[number];
    if (is_dense(array))
      move_rows(array, moves);
    else
      move_elements(array, moves);
  }
}

void run_moves(std::span<const Move> moves, std::vector<ParticleOrigin>& origins) {
  for (const Move& move : moves) std::copy_n(origins.begin() + move.from, move.count, origins.begin() + move.to);
}

}  // namespace halyard::particles
