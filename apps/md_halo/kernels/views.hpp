// AtomViews: a rank's atoms as Kokkos kernels see them: owned ones first, then ghosts. Owns nothing.
//
// Kernels are templates of the execution space: HostSpace, and Kokkos::Cuda where Kokkos has it. They use views and
// functors only, so that a space needs an instantiation and no other kernel, but for HalfForces (see there).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace halyard::md {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// Memory that somebody else owns. Components of an atom lie beside each other.
template <class T, class Space>
using Borrowed =
    Kokkos::View<T, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Memory of a kernel's own.
template <class T, class Space>
using Owned = Kokkos::View<T, typename Space::memory_space>;

template <class Space>
struct AtomViews {
  Borrowed<double*[3], Space> x, v, f;
  Borrowed<std::int32_t*, Space> type;  // from 1
  Borrowed<std::int64_t*, Space> id;
  Borrowed<std::int32_t* [3], Space> image;
  int num_owned = 0;
  int num_ghosts = 0;

  int num_all() const { return num_owned + num_ghosts; }
};

template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>;

/// Kernels on the host are over when their caller goes on; those on a GPU follow each other in its stream.
template <class Space>
void settle_host() {
  if constexpr (std::is_same_v<Space, HostSpace>) Space().fence();
}

/// At least `count` elements; what they held is lost when it grows.
template <class View>
void reserve(View& view, std::size_t count, const char* name) {
  if (view.extent(0) < count) view = View(Kokkos::ViewAllocateWithoutInitializing(name), count + count / 4);
}

}  // namespace halyard::md
