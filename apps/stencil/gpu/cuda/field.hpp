// Field: the unknown on this rank's block in GPU memory, ghosts included, x fastest. All cells start at 0, and ghosts
// beyond a non-periodic edge stay so. Must be destroyed after the exchanges that use it.
#pragma once

#include <Kokkos_Core.hpp>

#include "halyard/field.hpp"
#include "io/block.hpp"

namespace halyard::stencil::gpu {

using Array = Kokkos::View<double***, Kokkos::LayoutLeft, Kokkos::CudaSpace>;

class Field {
 public:
  /// Local call. Throws when the GPU has no room for two such fields, or has lost it since.
  Field(const Index3& owned, const Width& width);

  const Array& array() const { return array_; }
  /// As Halyard sees it.
  FieldView view() const;

 private:
  Index3 owned_;
  Width width_;
  Array array_;
};

/// A field's values in host memory, for files and for the judgment of a run. Copies wait for the GPU.
class HostCopy {
 public:
  HostCopy(const Array& array, const Index3& owned, const Width& width);

  void read(const Array& array) { Kokkos::deep_copy(values_, array); }
  void write_to(const Array& array) const { Kokkos::deep_copy(array, values_); }
  /// The owned cells.
  const Block& block() const { return block_; }

 private:
  Array::HostMirror values_;
  Block block_;
};

}  // namespace halyard::stencil::gpu
