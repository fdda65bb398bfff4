// permute: owned atoms in another order, all arrays alike, through memory that is kept from call to call.
#pragma once

#include "kernels/views.hpp"

namespace halyard::md {

template <class Space>
class Permute {
 public:
  /// Atom i becomes what atom order(i) was. Forces are left alone: they are computed anew.
  void apply(const AtomViews<Space>& atoms, const Owned<int*, Space>& order);

 private:
  template <class View>
  void apply_to(const View& values, const Owned<int*, Space>& order, int count);

  Owned<char*, Space> scratch_;
};

extern template class Permute<HostSpace>;
extern template class Permute<EmulatedSpace>;

}  // namespace halyard::md
