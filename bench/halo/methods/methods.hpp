// The makers of all methods, one line each; their files say what they are. Called through the
// registry in method.cpp.
#pragma once

#include <memory>

#include "halo/method.hpp"

namespace halyard::bench {

std::unique_ptr<Method> make_packed_per_direction(const MethodInputs& inputs);  // b
std::unique_ptr<Method> make_packed_per_peer(const MethodInputs& inputs);       // best-mpi
std::unique_ptr<Method> make_derived_types(const MethodInputs& inputs);         // derived
std::unique_ptr<Method> make_neighbor_alltoallw(const MethodInputs& inputs);    // neighbor-alltoallw
std::unique_ptr<Method> make_shared_direct(const MethodInputs& inputs);         // f
std::unique_ptr<Method> make_strided_copy(const MethodInputs& inputs);          // g2
std::unique_ptr<Method> make_halyard(const MethodInputs& inputs);               // halyard
std::unique_ptr<Method> make_halyard_user(const MethodInputs& inputs);          // halyard-user
std::unique_ptr<Method> make_halyard_index(const MethodInputs& inputs);         // halyard-index
std::unique_ptr<Method> make_halyard_mpi(const MethodInputs& inputs);           // halyard-mpi
std::unique_ptr<Method> make_halyard_ucx(const MethodInputs& inputs);           // halyard-ucx
std::unique_ptr<Method> make_halyard_verbs(const MethodInputs& inputs);         // halyard-verbs
std::unique_ptr<Method> make_halyard_verbs_packed(const MethodInputs& inputs);  // halyard-verbs-packed

}  // namespace halyard::bench
