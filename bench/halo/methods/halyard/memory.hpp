// HalyardMemory: a case's arrays in memory of Context::allocate. paths_of: the paths of a plan in a
// few words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halo/geometry.hpp"
#include "halyard/context.hpp"
#include "halyard/plan.hpp"

namespace halyard::bench {

/// Owns one array per field; the context must outlive it.
class HalyardMemory {
 public:
  HalyardMemory(Context& context, const Geometry& geometry);
  std::vector<double*> arrays() const;

 private:
  struct Deallocate {
    Context* context;
    void operator()(double* memory) const { context->deallocate(memory); }
  };
  std::vector<std::unique_ptr<double, Deallocate>> memory_;
};

/// "self+shared": every path that the plan takes to some neighbor, best first.
std::string paths_of(const Plan& plan);

}  // namespace halyard::bench
