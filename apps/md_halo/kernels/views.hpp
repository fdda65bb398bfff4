// AtomViews: a rank's atoms as Kokkos kernels see them: owned ones first, then ghosts. Owns nothing.
//
// Kernels are templates of the space: HostSpace, EmulatedSpace, and Kokkos::Cuda where Kokkos has it. They use views,
// functors and launch.hpp only, so that a space needs an instantiation and no other kernel, but for HalfForces (see
// there).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "kernels/emulated_space.hpp"

namespace halyard::md {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// Where kernels are enqueued, and the host goes on.
template <class Space>
constexpr bool kIsOnGpu = !std::is_same_v<Space, HostSpace>;

/// The stream of kernels, and how an address of atoms is seen by them.
template <class Space>
Stream stream_of() {
  if constexpr (std::is_same_v<Space, EmulatedSpace>)
    return EmulatedSpace::stream();
  else if constexpr (kIsOnGpu<Space>)
    return Space().cuda_stream();
  else
    return {};
}

/// What must be open while kernels run, beside Kokkos.
struct NoScope {
  explicit NoScope(const Context&) {}
};
template <class Space>
using ScopeOf = std::conditional_t<std::is_same_v<Space, EmulatedSpace>, EmulatedScope, NoScope>;

template <class Space>
void* seen_by_kernels(void* address) {
  if constexpr (std::is_same_v<Space, EmulatedSpace>)
    return EmulatedSpace::gpu().host_view(address);
  else
    return address;
}

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
using Range = Kokkos::RangePolicy<typename Space::execution_space, Kokkos::IndexType<int>>;

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
