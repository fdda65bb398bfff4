// Settling: what happens to a rank's arrays when particles have left and others have arrived behind the rest. Leaves
// the particles dense, in an order that depends on who left and arrived only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halyard/migrator.hpp"
#include "particles/arrays.hpp"

namespace halyard::particles {

/// A run of elements that moves down: `count` from `from` on to `to` on.
struct Move {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count = 0;
};

/// What makes `total` elements without the `leavers` (ascending) dense. `any`: the last elements fill the holes, and
/// nothing else moves. `stable`: everything behind a hole moves down. In the order in which they must be done.
void plan_moves(MigrateOrder order, std::span<const std::int32_t> leavers, std::int64_t total,
                std::vector<Move>& moves);

/// Moves elements of all migrating arrays.
void run_moves(std::span<const Move> moves, const Particles& particles, const Roles& roles);

/// The same for a list that goes beside the arrays.
void run_moves(std::span<const Move> moves, std::vector<ParticleOrigin>& origins);

}  // namespace halyard::particles
