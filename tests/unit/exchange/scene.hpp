// Scene: one halo problem on all ranks of a LoopbackWorld, with coded fields and one binding per rank. What most tests
// of exchange are played on; the test drives the ranks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "conformance/random_case.hpp"
#include "support/loopback_world.hpp"

namespace halyard::test {

using transport::loopback::Exports;

/// The names of tests that run in both forms.
inline std::string name_of_form(const testing::TestParamInfo<Exports>& tested) {
  return tested.param == Exports::nothing ? "mailbox" : "in_place";
}

/// How the ranks of a scene talk.
struct Setting {
  Exports exports = Exports::nothing;  // nothing: through mailboxes; everything: in place
  LoopbackWorld::Decorate decorate;
  base::WaitPolicy wait{base::WaitPolicy::kYieldEarly, 20.0};
};

/// A problem with one field of doubles.
RandomCase problem_of(BoxHalo halo);
/// `ranks` boxes of `cells` cells on a line; halo of 1 on both sides, periodic: a ring.
RandomCase ring_of(int ranks, std::int64_t cells = 4);
/// The same without the wrap, and a halo below only: rank r sends to rank r + 1 and to nobody else.
RandomCase one_way_line_of(int ranks, std::int64_t cells = 4);
/// The random problem of conformance with fields of one double per cell, so that it can be reduced.
RandomCase reducible(std::uint64_t seed, int ranks);

class Scene {
 public:
  using Bindings = std::vector<std::unique_ptr<BindingCore>>;

  Scene(RandomCase problem, int num_ranks, const Setting& setting = {});

  int num_ranks() const { return world_.num_ranks(); }
  const RandomCase& problem() const { return problem_; }
  BindingCore& binding(int rank) { return *bindings_[static_cast<std::size_t>(rank)]; }
  Bindings& bindings() { return bindings_; }
  RankFields& fields(int rank) { return fields_[static_cast<std::size_t>(rank)]; }
  LoopbackWorld& world() { return world_; }
  /// More bindings of the same fields.
  Bindings bind_again();

  std::uint64_t start_forward(int rank) { return binding(rank).start(exchange::Kind::forward, {}, {}); }
  std::uint64_t start_reverse(int rank, Reduce op = Reduce::sum, ReduceOrder order = ReduceOrder::arrival) {
    return binding(rank).start(exchange::Kind::reverse, op, order);
  }
  /// Starts on every rank and drives them by turns until each is done or has failed.
  Status run(exchange::Kind kind, Reduce op = Reduce::sum, ReduceOrder order = ReduceOrder::arrival) {
    return LoopbackWorld::run(bindings_, kind, op, order);
  }

  void fill(std::uint64_t step);
  std::string check(std::uint64_t step) const;
  void fill_for_reverse(double owned, double ghost);

 private:
  RandomCase problem_;
  LoopbackWorld world_;
  std::vector<RankFields> fields_;
  Bindings bindings_;
};

/// Drives exchange number numbers[r] of each rank r, in turns drawn from `random`, until each is done or has failed.
void drive_in_random_turns(Scene::Bindings& bindings, const std::vector<std::uint64_t>& numbers,
                           std::mt19937_64& random);
/// The same by turns in ascending order.
void drive_by_turns(Scene::Bindings& bindings, const std::vector<std::uint64_t>& numbers);
/// What each rank's wait() answers; to be asked when all have been driven to their end.
std::vector<Status> outcomes(Scene::Bindings& bindings, const std::vector<std::uint64_t>& numbers);

}  // namespace halyard::test
