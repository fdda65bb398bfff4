// Arrays: the caller's Particles, checked and resolved: positions, ids, images, and what moves in a migration.
//
// Resolved once when a Migrator or Borders is made, by number; where the memory lies is read anew at each use, since
// Particles::grow may have moved it. Loads and stores go through memcpy: records align nothing.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halyard/particle_domain.hpp"
#include "halyard/particles.hpp"
#include "pack/program.hpp"

namespace halyard::particles {

/// Component `component` of array `array` is the coordinate of one axis.
struct CoordinateAt {
  std::size_t array = 0;
  std::int64_t component = 0;
};

/// Which arrays play which part. Numbers into Particles::arrays.
struct Roles {
  std::array<CoordinateAt, 3> axes;
  Scalar position = Scalar::f64;
  std::optional<std::size_t> id;
  std::optional<std::size_t> image;
  std::vector<std::size_t> migrating;
  std::int64_t record_bytes = 0;  // of all migrating arrays
  std::uint64_t record_hash = 0;  // equal on all ranks: elements of the migrating arrays

  /// Whether array `array` holds coordinates: its first axis, if so.
  std::optional<std::size_t> first_axis_of(std::size_t array) const;
};

/// Throws Error(invalid_argument) for arrays that are missing, of the wrong type, or without room.
Roles roles_of(const Particles& particles);

/// Throws Error(invalid_argument) when the counts do not fit the arrays. Each time before they are used.
void check_counts(const Particles& particles);

/// Makes room for `needed` elements. Throws Error(out_of_resources) when that does not succeed.
void make_room(Particles& particles, std::int64_t needed);

/// Numbers of the arrays called `names`. Throws Error(invalid_argument) for unknown ones.
std::vector<std::size_t> numbers_of(const Particles& particles, const std::vector<std::string>& names);

/// The array as a field view, for whoever shows it to peers.
FieldView view_of(const ParticleArray& array, std::int64_t capacity);

inline pack::Gather::Strides strides_of(const ParticleArray& array) {
  return {array.stride_bytes, array.component_stride_bytes};
}

/// The numbers of one component of an array.
template <class T>
class Column {
 public:
  Column(const ParticleArray& array, std::int64_t component)
      : data_(static_cast<std::byte*>(array.data) + component * array.component_stride_bytes),
        stride_(array.stride_bytes) {}

  T operator[](std::int64_t i) const {
    T value;
    std::memcpy(&value, data_ + i * stride_, sizeof(T));
    return value;
  }
  void set(std::int64_t i, T value) const { std::memcpy(data_ + i * stride_, &value, sizeof(T)); }

  std::int64_t stride() const { return stride_; }
  /// The first number, when all lie where a T may; else null.
  const T* aligned() const {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(data_) % alignof(T) == 0 &&
                            stride_ % static_cast<std::int64_t>(alignof(T)) == 0;
    return is_aligned ? reinterpret_cast<const T*>(data_) : nullptr;
  }

 private:
  std::byte* data_;
  std::int64_t stride_;
};

/// The three coordinates of all particles.
template <class T>
std::array<Column<T>, 3> coordinates_of(const Particles& particles, const Roles& roles) {
  const auto column = [&](std::size_t axis) {
    return Column<T>(particles.arrays[roles.axes[axis].array], roles.axes[axis].component);
  };
  return {column(0), column(1), column(2)};
}

Point3 position_of(const Particles& particles, const Roles& roles, std::int64_t i);

/// The id of particle i; nothing when there is no id array.
std::optional<std::int64_t> id_of(const Particles& particles, const Roles& roles, std::int64_t i);

}  // namespace halyard::particles
