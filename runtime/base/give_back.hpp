// GiveBack: the deleter of a unique_ptr that owns a C library's handle: calls the one function that gives it back.
#pragma once

namespace halyard::base {

template <auto give_back>
struct GiveBack {
  template <class Handle>
  void operator()(Handle* handle) const {
    (void)give_back(handle);
  }
};

}  // namespace halyard::base
