// Arrays in Halyard's memory; see memory.hpp.
#include "halo/methods/halyard/memory.hpp"

#include <set>

#include "halo/fields.hpp"

namespace halyard::bench {

HalyardMemory::HalyardMemory(Context& context, const Geometry& geometry) {
  for (int f = 0; f < geometry.bench_case.fields; ++f)
    memory_.emplace_back(static_cast<double*>(context.allocate(array_bytes(geometry))), Deallocate{&context});
}

std::vector<double*> HalyardMemory::arrays() const {
  std::vector<double*> arrays;
  for (const auto& memory : memory_) arrays.push_back(memory.get());
  return arrays;
}

std::string paths_of(const Plan& plan) {
  std::set<Path> paths;
  for (const PlanNeighbor& neighbor : plan.neighbors()) paths.insert(neighbor.path);
  std::string text;
  for (const Path path : paths) text.append(text.empty() ? "" : "+").append(name_of(path));
  return text;
}

}  // namespace halyard::bench
