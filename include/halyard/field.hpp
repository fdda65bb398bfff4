// FieldView: where a field of one patch lies in the caller's memory. FieldShape: what of it all ranks agree on.
//
// A view never owns. Strides are in bytes and may have any order, padding or sign; element sizes are 1 to 64 bytes.
// The memory must stay valid, and at the same place, for as long as a Binding holds the view.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "halyard/box.hpp"
#include "halyard/export.hpp"

namespace halyard {

/// What one component of an element is. `opaque` elements can be copied but not summed or compared.
enum class Scalar : std::uint8_t { opaque, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

/// Bytes of one component; 1 for opaque.
HALYARD_API std::size_t bytes_of(Scalar scalar);

/// The scalar that stands for T; opaque for every type that is not a fixed-width number.
template <class T>
constexpr Scalar scalar_of() {
  if constexpr (std::is_same_v<T, float>) return Scalar::f32;
  if constexpr (std::is_same_v<T, double>) return Scalar::f64;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return is_signed ? Scalar::i8 : Scalar::u8;
    if constexpr (sizeof(T) == 2) return is_signed ? Scalar::i16 : Scalar::u16;
    if constexpr (sizeof(T) == 4) return is_signed ? Scalar::i32 : Scalar::u32;
    if constexpr (sizeof(T) == 8) return is_signed ? Scalar::i64 : Scalar::u64;
  }
  return Scalar::opaque;
}

/// What is stored in one cell: `count` components of one scalar type, 1 to 64 bytes together.
struct ElementType {
  Scalar scalar = Scalar::f64;
  std::uint32_t count = 1;

  static ElementType opaque(std::uint32_t bytes) { return {Scalar::opaque, bytes}; }
  /// An element of `count` components of T; a T that is no number becomes sizeof(T) opaque bytes.
  template <class T>
  static constexpr ElementType of(std::uint32_t count = 1) {
    if constexpr (scalar_of<T>() == Scalar::opaque)
      return {Scalar::opaque, static_cast<std::uint32_t>(sizeof(T)) * count};
    return {scalar_of<T>(), count};
  }

  std::size_t bytes() const { return bytes_of(scalar) * count; }

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// The axis numbers from the fastest varying in memory to the slowest.
using AxisOrder = std::array<std::uint8_t, 3>;

/// How owned-plus-halo arrays are usually laid out.
enum class Storage {
  x_fastest,  // Fortran order, Kokkos LayoutLeft
  z_fastest,  // C order, Kokkos LayoutRight
};

/// What every rank must say alike of a field: name, element and the order in which messages hold its cells.
struct FieldShape {
  std::string name = "field";
  ElementType element;
  AxisOrder order{0, 1, 2};

  friend bool operator==(const FieldShape&, const FieldShape&) = default;
};

/// One field on one patch: `extent` cells on each axis from `data` on, of which the cell numbered `origin` is the
/// first owned one. For an index pattern: extent {number of elements, 1, 1}, origin 0.
struct FieldView {
  std::string name = "field";
  void* data = nullptr;  // cell (0, 0, 0) of the array, ghosts included
  ElementType element;
  Index3 extent{1, 1, 1};        // cells the array has on each axis, ghosts included
  Index3 stride_bytes{8, 8, 8};  // from a cell to the next one on each axis
  Index3 origin{0, 0, 0};        // where in the array the first owned cell is

  /// The shape that this view has by itself: its strides decide the axis order.
  HALYARD_API FieldShape shape() const;

  /// A dense array of owned extents `owned` with `halo` cells around it.
  template <class T>
  static FieldView grid(T* data, const Index3& owned, const Width& halo, Storage storage = Storage::x_fastest,
                        std::string name = "field") {
    FieldView view{std::move(name), data, ElementType::of<T>(), {}, {}, halo.lo};
    for (std::size_t a = 0; a < 3; ++a) view.extent[a] = halo.lo[a] + owned[a] + halo.hi[a];
    view.set_dense_strides(storage);
    return view;
  }

  /// A list of `size` elements of `count` components each, for index patterns.
  template <class T>
  static FieldView list(T* data, std::int64_t size, std::uint32_t count = 1, std::string name = "field") {
    FieldView view{std::move(name), data, ElementType::of<T>(count), {size, 1, 1}, {}, {0, 0, 0}};
    view.set_dense_strides(Storage::x_fastest);
    return view;
  }

  /// Sets stride_bytes for an array of this extent without padding.
  HALYARD_API void set_dense_strides(Storage storage);
};

/// Cells that FieldView::grid needs room for.
constexpr std::int64_t cells_with_halo(const Index3& owned, const Width& halo) {
  return grown(Box::of_extent(owned), halo).num_cells();
}

}  // namespace halyard
