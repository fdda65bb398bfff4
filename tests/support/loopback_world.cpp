// See loopback_world.hpp.
#include "support/loopback_world.hpp"

#include "support/driven_to_end.hpp"
#include "support/swapped.hpp"

namespace halyard::test {

LoopbackWorld::LoopbackWorld(int num_ranks, transport::loopback::Exports exports, const Decorate& decorate,
                             base::WaitPolicy wait)
    : wait_(wait) {
  for (int rank = 0; rank < num_ranks; ++rank) {
    auto worker = transport::loopback::open_worker(Path::shared, exports);
    workers_.push_back(decorate ? decorate(rank, std::move(worker)) : std::move(worker));
  }
}

std::vector<std::unique_ptr<BindingCore>> LoopbackWorld::bind(std::vector<Plan> plans,
                                                              const std::vector<std::vector<FieldView>>& views) {
  ++num_bindings_;
  std::vector<exchange::Assembly> assemblies;
  std::vector<std::vector<int>> neighbors;
  std::vector<Blobs> given;
  for (std::size_t r = 0; r < workers_.size(); ++r) {
    exchange::Workers workers{};
    workers[static_cast<std::size_t>(Path::shared)] = workers_[r].get();
    exchange::Surroundings around;
    around.binding = num_bindings_;
    around.wait = wait_;
    if (!metrics_.empty()) around.metrics = metrics_[r];
    assemblies.emplace_back(std::move(plans[r]), views[r], workers, around);
    neighbors.push_back(assemblies.back().remote_ranks());
    given.push_back(assemblies.back().windows());
  }
  auto got = swapped(neighbors, given);
  for (std::size_t r = 0; r < workers_.size(); ++r) {
    assemblies[r].open(got[r]);
    given[r] = assemblies[r].addresses();
  }
  got = swapped(neighbors, given);
  std::vector<std::unique_ptr<BindingCore>> bindings;
  for (std::size_t r = 0; r < workers_.size(); ++r) bindings.push_back(assemblies[r].connect(got[r]));
  return bindings;
}

Status LoopbackWorld::run(std::vector<std::unique_ptr<BindingCore>>& bindings, exchange::Kind kind, Reduce op,
                          ReduceOrder order) {
  std::vector<std::uint64_t> numbers;
  for (auto& binding : bindings) numbers.push_back(binding->start(kind, op, order));
  return driven_to_end(bindings, numbers);
}

}  // namespace halyard::test
