// Particles: where a rank's particles lie in the caller's memory. Any number of arrays, structures of arrays or arrays
// of structures.
//
// Element i of every array belongs to particle i. Owned particles come first, [0, num_owned); their ghosts follow,
// [num_owned, num_owned + num_ghosts), for which borders fill in the counts and forward exchanges the values. The
// arrays stay the caller's: nothing here owns. Arrays in Halyard's memory (Context::allocate) are read by neighbors on
// the node where they lie, which is the fastest path on hosts. All arrays lie in host memory, or all on one GPU, on all
// ranks alike.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halyard/export.hpp"
#include "halyard/field.hpp"

namespace halyard {

/// One quantity of all particles: `element.count` components each.
struct ParticleArray {
  std::string name;
  void* data = nullptr;  // first component of particle 0
  ElementType element;
  std::int64_t stride_bytes = 0;            // from a particle to the next
  std::int64_t component_stride_bytes = 0;  // from a component to the next
  bool migrates = true;                     // false: recomputed after a migration (forces), so it need not move

  /// Components of a particle beside each other: x y z x y z … (Kokkos LayoutRight).
  template <class T>
  static ParticleArray interleaved(std::string name, T* data, std::uint32_t components = 1) {
    return records(std::move(name), data, components, static_cast<std::int64_t>(sizeof(T)) * components);
  }
  /// One component after the other, each `distance` elements from the one before: x … x y … y z … z (LayoutLeft).
  template <class T>
  static ParticleArray planes(std::string name, T* data, std::uint32_t components, std::int64_t distance) {
    const auto bytes = static_cast<std::int64_t>(sizeof(T));
    static_assert(scalar_of<T>() != Scalar::opaque, "planes hold numbers");
    return {std::move(name), data, ElementType::of<T>(components), bytes, bytes * distance};
  }
  /// A member of a structure: `data` points to it in particle 0, structures are `stride_bytes` apart.
  template <class T>
  static ParticleArray records(std::string name, T* data, std::uint32_t components, std::int64_t stride_bytes) {
    const auto element = ElementType::of<T>(components);  // an opaque one has components of one byte
    return {std::move(name), data, element, stride_bytes, static_cast<std::int64_t>(bytes_of(element.scalar))};
  }
};

struct Particles {
  std::vector<ParticleArray> arrays;
  /// Names of the arrays that hold positions: one of three components, or three of one (x, y, z); float or double.
  std::vector<std::string> position{"x"};
  /// Name of an array of one 64-bit integer, unique for each particle; empty if there is none. Errors then name it.
  std::string id;
  /// Name of an array of three i32: box lengths that wrapping took off, as LAMMPS counts them; empty if there is none.
  std::string image;

  std::int64_t num_owned = 0;
  std::int64_t num_ghosts = 0;
  std::int64_t capacity = 0;         // elements that every array has room for
  std::uint64_t num_migrations = 0;  // counted by Halyard: ghosts listed before the last one are not refreshed any more

  /// Called when `capacity` is too small: makes every array hold at least `at_least` elements, the first
  /// num_owned + num_ghosts of them as they were, and sets `capacity` and the arrays' `data`. Without it, too small a
  /// capacity is an error on all ranks, and nothing is lost. Arrays in GPU memory: what it does to them is to be over
  /// when it returns, or in the default stream.
  std::function<void(Particles& particles, std::int64_t at_least)> grow;

  /// The array of that name; null if there is none.
  HALYARD_API const ParticleArray* find(const std::string& name) const;
};

}  // namespace halyard
