// See permute.hpp.
#include "kernels/permute.hpp"

#include "kernels/launch.hpp"

namespace halyard::md {
namespace {

/// One or three components; both sides hold them beside each other. `to` lies in `scratch`.
template <class T, class Space>
struct Gather {
  const T* from;
  T* to;
  Owned<char*, Space> scratch;
  Owned<int*, Space> order;
  int components;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    const T* source = from + static_cast<std::ptrdiff_t>(order(i)) * components;
    T* target = to + static_cast<std::ptrdiff_t>(i) * components;
    for (int c = 0; c < components; ++c) target[c] = source[c];
  }
};

}  // namespace

template <class Space>
template <class View>
void Permute<Space>::apply_to(const View& values, const Owned<int*, Space>& order, int count) {
  using T = typename View::non_const_value_type;
  constexpr int kComponents = View::rank == 2 ? 3 : 1;
  const auto length = static_cast<std::size_t>(count) * kComponents;
  reserve(scratch_, length * sizeof(T), "scratch");
  T* const scratch = reinterpret_cast<T*>(scratch_.data());  // aligned as every allocation of Kokkos
  for_each<Space>("md permute", count, Gather<T, Space>{values.data(), scratch, scratch_, order, kComponents});
  copy<Space>(Borrowed<T*, Space>(values.data(), length), Borrowed<T*, Space>(scratch, length), scratch_);
}

template <class Space>
void Permute<Space>::apply(const AtomViews<Space>& atoms, const Owned<int*, Space>& order) {
  apply_to(atoms.x, order, atoms.num_owned);
  apply_to(atoms.v, order, atoms.num_owned);
  apply_to(atoms.type, order, atoms.num_owned);
  apply_to(atoms.id, order, atoms.num_owned);
  apply_to(atoms.image, order, atoms.num_owned);
}

template class Permute<HostSpace>;
template class Permute<EmulatedSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template class Permute<Kokkos::Cuda>;
#endif

}  // namespace halyard::md
