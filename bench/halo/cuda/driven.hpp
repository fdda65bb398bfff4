// drive: a StreamMethod in one Mode as a Method that the bench can measure.
#pragma once

#include <memory>

#include "halo/cuda/stream_method.hpp"

namespace halyard::bench {

/// Collective for Mode::graph, which runs the method before it captures it.
std::unique_ptr<Method> drive(std::shared_ptr<StreamMethod> method, Mode mode, FieldSet& fields, cudaStream_t stream);

}  // namespace halyard::bench
