// Blocks: coordinates of many particles at once, as x y z x y z ..., and what is asked of all of them: loops without
// branches, which the compiler turns into vector instructions, wider ones where the processor has them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "particles/arrays.hpp"
#include "particles/partition.hpp"

namespace halyard::particles {

/// Particles that are looked at at once.
inline constexpr std::size_t kBlock = 64;

using CellsOfBlock = std::array<std::int32_t, kBlock>;

/// Three numbers for each of eight particles.
template <class T>
using Eight = std::array<T, 24>;

/// The same three numbers for each.
template <class T>
Eight<T> eight_of(const std::array<T, 3>& numbers) {
  Eight<T> eight;
  for (std::size_t k = 0; k < eight.size(); ++k) eight[k] = numbers[k % 3];
  return eight;
}

/// The least T that is not below `bound`: any x of type T is below one when it is below the other.
template <class T>
T round_up(double bound);

/// Bounds lo <= x < hi on each axis.
template <class T>
struct Bounds {
  explicit Bounds(const SpaceBox& box);

  Eight<T> lo;
  Eight<T> hi;
};

/// Ends of segments, on each axis as many as there are, and what a segment of each axis counts for in the number of a
/// cell.
template <class T>
struct Segments {
  Segments(const std::array<std::vector<double>, 3>& ends, const std::array<std::size_t, 3>& weights);

  std::vector<Eight<T>> ends;
  Eight<T> weights;
};

/// Vector instructions: those that all processors have, or wider ones.
enum class Vectors { narrow, wide };

/// The widest that this processor has.
Vectors best_vectors();

/// Bit i: particle i of the 64 at `x` is not within the bounds, as NaN never is.
std::uint64_t outside(const double* x, const Bounds<double>& bounds, Vectors vectors = best_vectors());
std::uint64_t outside(const float* x, const Bounds<float>& bounds, Vectors vectors = best_vectors());

/// The cells of the 64 particles at `x`: the sum over the axes of the number of ends that a coordinate is at or behind,
/// times the weight. NaN is behind none. Cells are numbered below 2^24.
void find_cells(const double* x, const Segments<double>& segments, CellsOfBlock& cells,
                Vectors vectors = best_vectors());
void find_cells(const float* x, const Segments<float>& segments, CellsOfBlock& cells, Vectors vectors = best_vectors());

template <class T>
class Blocks {
 public:
  explicit Blocks(const std::array<Column<T>, 3>& x) : x_(x) {
    const T* first = x[0].aligned();
    if (first == nullptr) return;
    for (std::size_t a = 0; a < 3; ++a)
      if (x[a].stride() != 3 * std::int64_t{sizeof(T)} || x[a].aligned() != first + a) return;
    points_ = first;
  }

  /// Those of `count` particles, at most kBlock, from `first` on: where they lie, or gathered, zeros behind them. Until
  /// the next call.
  const T* at(std::int64_t first, std::size_t count) {
    if (points_ != nullptr && count == kBlock) return points_ + 3 * first;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < 3; ++a) room_[3 * i + a] = x_[a][first + static_cast<std::int64_t>(i)];
    std::fill(room_.begin() + static_cast<std::ptrdiff_t>(3 * count), room_.end(), T{0});
    return room_.data();
  }

  /// Calls visit(first, count, x) for each block of `count` particles until it answers false; answers whether it never
  /// did.
  template <class Visit>
  bool each(std::int64_t count, Visit&& visit) {
    for (std::int64_t first = 0; first < count; first += std::int64_t{kBlock}) {
      const auto in_block = static_cast<std::size_t>(std::min(std::int64_t{kBlock}, count - first));
      if (!visit(first, in_block, at(first, in_block))) return false;
    }
    return true;
  }

 private:
  std::array<Column<T>, 3> x_;
  const T* points_ = nullptr;  // when they lie so in memory
  std::array<T, 3 * kBlock> room_;
};

}  // namespace halyard::particles
