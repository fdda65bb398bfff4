// The plainest possible run of a pack::Program: element by element, in the order of the unfolded axes. What copy and
// reduce must equal.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "pack/compile.hpp"

namespace halyard::pack::test {

using Visit = std::function<void(Place source, Place target, std::int64_t bytes)>;

/// Every row of every block and every element of every list.
inline void for_each_row(const Program& program, const Visit& visit) {
  for (const Block& b : program.blocks)
    for (std::int64_t k = 0; k < b.count[2]; ++k)
      for (std::int64_t j = 0; j < b.count[1]; ++j)
        for (std::int64_t i = 0; i < b.count[0]; ++i)
          visit(moved(b.source, i * b.source_stride[0] + j * b.source_stride[1] + k * b.source_stride[2]),
                moved(b.target, i * b.target_stride[0] + j * b.target_stride[1] + k * b.target_stride[2]), b.row_bytes);
  for (const List& l : program.lists)
    for (std::int64_t i = 0; i < l.num_elements; ++i) {
      const auto n = static_cast<std::size_t>(i);
      visit(moved(l.source, l.source_offsets.empty() ? i * l.element_bytes : l.source_offsets[n]),
            moved(l.target, l.target_offsets.empty() ? i * l.element_bytes : l.target_offsets[n]), l.element_bytes);
    }
}

/// Byte i of the target gets byte pairs[i] of the source: the program, one byte at a time.
inline void copy_naively(const Program& program, const std::byte* source, std::byte* target) {
  for_each_row(program, [&](Place from, Place to, std::int64_t bytes) {
    for (std::int64_t b = 0; b < bytes; ++b) target[to + static_cast<Place>(b)] = source[from + static_cast<Place>(b)];
  });
}

/// Numbers drawn from a seed that a failing test prints.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {  // both included
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::uint64_t bits() { return engine_(); }
  bool yes() { return engine_() % 2 == 0; }
  std::vector<std::byte> bytes(std::size_t count) {
    std::vector<std::byte> result(count);
    for (std::byte& b : result) b = static_cast<std::byte>(engine_());
    return result;
  }
  template <class T>
  void shuffle(T& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  }

 private:
  std::mt19937_64 engine_;
};

/// Strides of an array of these counts in a random order of axes, with random padding and signs; `bytes` it spans and
/// `first`, where element (0, 0, 0) lies in it.
struct Array {
  Index3 stride{};
  std::int64_t bytes = 0;
  std::int64_t first = 0;
};

inline Array random_array(Draw& draw, const Index3& count, std::int64_t element_bytes) {
  Array array;
  std::array<std::size_t, 3> order{0, 1, 2};
  draw.shuffle(order);
  std::int64_t step = element_bytes + (draw.yes() ? 0 : draw.between(1, 9));
  for (const auto axis : order) {
    const bool is_backward = draw.between(0, 3) == 0;
    array.stride[axis] = is_backward ? -step : step;
    if (is_backward) array.first += step * (count[axis] - 1);
    step = step * count[axis] + (draw.yes() ? 0 : draw.between(1, 40));
  }
  array.bytes = step + element_bytes;
  return array;
}

}  // namespace halyard::pack::test
