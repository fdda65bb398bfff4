// launch: kernels, copies and sums in the order of a space. On the host they are over when their caller goes on; on a
// GPU, and on the emulated device, they are enqueued in the stream of the space, and only who asks for a number waits.
#pragma once

#include <utility>

#include "kernels/views.hpp"

namespace halyard::md {

template <class Space, class Work>
void in_order(const Work& work) {
  if constexpr (std::is_same_v<Space, EmulatedSpace>)
    EmulatedSpace::enqueue(work);
  else
    work();
  settle_host<Space>();
}

/// functor(i) for i below `count`.
template <class Space, class Functor>
void for_each(const char* name, int count, const Functor& functor) {
  in_order<Space>([name, count, functor] { Kokkos::parallel_for(name, Range<Space>(0, count), functor); });
}

/// Sums, or what reducers among `results` say. Waits for them.
template <class Space, class Functor, class... Results>
void reduce(const char* name, int count, const Functor& functor, Results&&... results) {
  in_order<Space>([&] { Kokkos::parallel_reduce(name, Range<Space>(0, count), functor, results...); });
  if constexpr (std::is_same_v<Space, EmulatedSpace>) Space().fence();
}

/// functor(i, sum of those before, whether it is final).
template <class Space, class Functor>
void scan(const char* name, int count, const Functor& functor) {
  in_order<Space>([name, count, functor] { Kokkos::parallel_scan(name, Range<Space>(0, count), functor); });
}
/// The same, and the sum of all. Waits for it.
template <class Space, class Functor>
void scan(const char* name, int count, const Functor& functor, int& total) {
  in_order<Space>([&] { Kokkos::parallel_scan(name, Range<Space>(0, count), functor, total); });
  if constexpr (std::is_same_v<Space, EmulatedSpace>) Space().fence();
}

template <class Space, class View>
void fill(const View& view, typename View::const_value_type value) {
  in_order<Space>([view, value] { Kokkos::deep_copy(typename Space::execution_space(), view, value); });
}

/// `from` keeps the memory alive that `source` lies in.
template <class Space, class Target, class Source, class Keeper>
void copy(const Target& target, const Source& source, const Keeper& keeper) {
  in_order<Space>([target, source, keeper] {
    (void)keeper;
    Kokkos::deep_copy(typename Space::execution_space(), target, source);
  });
}

}  // namespace halyard::md
