// Field: the unknown on this rank's block, ghosts included, x fastest, as a Kokkos view.
//
// The memory is either Halyard's (Context::allocate, wrapped in an unmanaged view) or an ordinary
// Kokkos allocation; the kernels see no difference. All cells start at 0, and ghosts beyond a
// non-periodic edge stay so. Must be destroyed before its Context and after the exchanges that use
// it.
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <memory>

#include "halyard/context.hpp"
#include "halyard/field.hpp"
#include "io/block.hpp"
#include "options.hpp"

namespace halyard::stencil {

// Where the kernels run.
using Execution = Kokkos::DefaultHostExecutionSpace;
using Array =
    Kokkos::View<double***, Kokkos::LayoutLeft, Execution::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

class Field {
 public:
  /// Local call. Throws when there is no room.
  Field(Context& context, Memory memory, const Index3& owned, const Width& width);

  const Array& array() const { return array_; }
  const Index3& owned() const { return owned_; }
  /// As Halyard sees it.
  FieldView view() const;
  /// The owned cells, as files see them.
  Block block() const;

 private:
  using Managed = Kokkos::View<double***, Kokkos::LayoutLeft, Execution::memory_space>;

  Index3 owned_;
  Width width_;
  Managed managed_;                                              // Memory::user
  std::unique_ptr<void, std::function<void(void*)>> allocated_;  // Memory::halyard
  Array array_;
};

}  // namespace halyard::stencil
