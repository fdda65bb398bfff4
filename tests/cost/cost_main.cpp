// The host exchanges of one rank with 26 neighbors, 32 cells cubed, for an instruction counter to look at: as they are
// where nobody counts, counted, and traced; through mailboxes and in place. All 27 ranks are objects of this process;
// only what rank 0 does between start and the end of its wait stands in the functions named exchange_….
#include <cstdio>
#include <string>
#include <string_view>

#include "metrics/registry.hpp"
#include "unit/exchange/scene.hpp"

namespace {

using halyard::BindingCore;
using halyard::exchange::Kind;
using halyard::test::Scene;
using halyard::transport::loopback::Exports;

constexpr int kRanks = 27;
constexpr std::int64_t kCells = 32;
constexpr std::uint64_t kExchanges = halyard::kTimedEvery;  // one of them is timed

halyard::test::RandomCase problem() {
  const halyard::Box domain = halyard::Box::of_extent({3 * kCells, 3 * kCells, 3 * kCells});
  return halyard::test::problem_of({halyard::Decomposition::grid(domain, {3, 3, 3}),
                                    {true, true, true},
                                    halyard::Width::all(1),
                                    halyard::Reach::full});
}

enum class Watch { nobody, counted, traced };

std::vector<std::shared_ptr<halyard::metrics::Registry>> registries(Watch watch) {
  std::vector<std::shared_ptr<halyard::metrics::Registry>> all;
  for (int rank = 0; rank < kRanks && watch != Watch::nobody; ++rank) {
    halyard::metrics::Setting setting;
    setting.rank = rank;
    if (watch == Watch::traced) setting.trace = std::make_shared<halyard::metrics::Trace>();
    all.push_back(std::make_shared<halyard::metrics::Registry>(std::move(setting)));
  }
  return all;
}

// The other ranks go as far as they can: each has sent rank 0 its message.
void drive_others(Scene::Bindings& bindings, std::uint64_t number) {
  for (int round = 0; round < 3; ++round)
    for (std::size_t r = 1; r < bindings.size(); ++r) (void)bindings[r]->ready(number);
}

// One function per measurement: the counter tells them apart by their names.
#define HALYARD_MEASURED(name)                                                                                        \
  [[gnu::noinline]] std::uint64_t start_##name(BindingCore& binding) { return binding.start(Kind::forward, {}, {}); } \
  [[gnu::noinline]] bool wait_##name(BindingCore& binding, std::uint64_t number) { return binding.wait(number).ok(); }

HALYARD_MEASURED(nobody_packed)
HALYARD_MEASURED(counted_packed)
HALYARD_MEASURED(traced_packed)
HALYARD_MEASURED(nobody_in_place)
HALYARD_MEASURED(counted_in_place)
HALYARD_MEASURED(traced_in_place)

struct Measured {
  Watch watch;
  Exports exports;
  std::uint64_t (*start)(BindingCore&);
  bool (*wait)(BindingCore&, std::uint64_t);
};

bool run(const Measured& what) {
  halyard::test::Setting setting;
  setting.exports = what.exports;
  Scene scene(problem(), kRanks, setting);
  scene.world().set_metrics(registries(what.watch));
  Scene::Bindings bindings = scene.bind_again();
  scene.fill(1);
  for (std::uint64_t n = 1; n <= kExchanges; ++n) {
    for (std::size_t r = 1; r < bindings.size(); ++r) (void)bindings[r]->start(Kind::forward, {}, {});
    const std::uint64_t number = what.start(*bindings[0]);
    drive_others(bindings, number);
    if (!what.wait(*bindings[0], number)) return false;
    halyard::test::drive_by_turns(bindings, std::vector<std::uint64_t>(bindings.size(), number));
  }
  return scene.check(1).empty();
}

}  // namespace

int main() {
  const Measured all[] = {
      {Watch::nobody, Exports::nothing, start_nobody_packed, wait_nobody_packed},
      {Watch::counted, Exports::nothing, start_counted_packed, wait_counted_packed},
      {Watch::traced, Exports::nothing, start_traced_packed, wait_traced_packed},
      {Watch::nobody, Exports::everything, start_nobody_in_place, wait_nobody_in_place},
      {Watch::counted, Exports::everything, start_counted_in_place, wait_counted_in_place},
      {Watch::traced, Exports::everything, start_traced_in_place, wait_traced_in_place},
  };
  for (const Measured& what : all)
    if (!run(what)) {
      std::fputs("an exchange went wrong\n", stderr);
      return 1;
    }
  return 0;
}
