// Borders and ghost exchanges: every particle within reach is a ghost once, at its place; forward and reverse; several
// at a time; rebuilt again and again.
#include <gtest/gtest.h>

#include <cstring>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"
#include "particles/ghosts.hpp"

namespace halyard::test {
namespace {

std::vector<std::string> with_id(const Gas& gas) {
  auto names = gas.positions();
  names.insert(names.end(), {"id", "v", "kind", "mark"});
  return names;
}

// Particles of all ranks, at their owners.
void fill(Context& context, const ParticleDomain& domain, Gas& gas, std::int64_t total, std::uint64_t seed) {
  in_bulk(gas, [&] {
    std::mt19937_64 random(seed);
    for (std::int64_t id = 0; id < total; ++id) {
      const Point3 p = point_in(domain.box, random);
      if (id % context.size() == context.rank()) gas.add(id, p);
    }
  });
  Migrator(context, domain, gas.set()).migrate();
}

struct Case {
  std::array<bool, 3> periodic;
  double reach;
  bool is_uneven;
};

// The box is 12 x 10 x 7: the longest reaches go over several ranks, and over images of a rank itself.
const Case kCases[] = {{{true, true, true}, 0.8, false},   {{true, true, true}, 2.5, true},
                       {{false, false, false}, 2.5, true}, {{true, false, true}, 6.5, false},
                       {{true, true, true}, 13.0, true},   {{false, true, false}, 3.5, false}};

class BordersOnEveryWay : public GasOnEveryWay {};

TEST_P(BordersOnEveryWay, HoldEveryParticleWithinReachOnceAtItsPlaceWithItsValues) {
  for (const Case& c : kCases)
    for (const Layout layout : kLayouts) {
      auto domain = domain_of(MPI_COMM_WORLD, c.periodic);
      if (c.is_uneven) domain = uneven(domain, 11);
      Gas gas(memory(), layout);
      fill(context(), domain, gas, c.reach > 10 ? 40 : 300, 17);
      Borders borders(context(), domain, gas.set(), {.reach = c.reach});
      GhostExchange all(borders, with_id(gas));
      borders.build();
      std::string wrong = all.forward().wait().text();
      wrong += wrong_ghosts(everybody(MPI_COMM_WORLD, gas), domain, gas, borders, context().rank());
      wrong += gas.wrong_codes(gas.set().num_owned + gas.set().num_ghosts);
      if (gas.set().num_ghosts != borders.num_ghosts()) wrong += "num_ghosts";
      ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << name_of(layout) << ", reach " << c.reach;
    }
}

// Numbers grow and shrink by a hundred times, so channels are replaced, and go on with what they have.
TEST_P(BordersOnEveryWay, GoOnRightWhenNumbersGrowAndShrinkFromBuildToBuild) {
  const auto domain = domain_of(MPI_COMM_WORLD);
  Gas gas(memory(), Layout::interleaved);
  Migrator migrator(context(), domain, gas.set());
  Borders borders(context(), domain, gas.set(), {.reach = 1.5});
  GhostExchange all(borders, with_id(gas));
  std::int64_t id = 0;
  for (const std::int64_t count : {0, 10, 1000, 20, 3000, 0, 500}) {
    gas.set().num_owned = gas.set().num_ghosts = 0;
    in_bulk(gas, [&] {
      std::mt19937_64 random(static_cast<std::uint64_t>(count + context().rank()));
      for (std::int64_t i = 0; i < count; ++i)
        gas.add(id + i * context().size() + context().rank(), point_in(domain.box, random));
    });
    migrator.migrate();
    borders.build();
    std::string wrong;
    for (int repeat = 0; repeat < 3; ++repeat) wrong += all.forward().wait().text();
    wrong += wrong_ghosts(everybody(MPI_COMM_WORLD, gas), domain, gas, borders, context().rank());
    wrong += gas.wrong_codes(gas.set().num_owned + gas.set().num_ghosts);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << count;
  }
}

TEST_P(BordersOnEveryWay, ReverseAddsWhatEachGhostHoldsToItsOwnerOnce) {
  const auto domain = domain_of(MPI_COMM_WORLD);
  for (const Layout layout : kLayouts) {
    Gas gas(memory(), layout);
    fill(context(), domain, gas, 300, 23);
    Borders borders(context(), domain, gas.set(), {.reach = 2.0});
    GhostExchange ids(borders, {"id"});
    GhostExchange forces(borders, {"f"});
    borders.build();
    std::string wrong = ids.forward().wait().text();
    std::vector<std::int64_t> held;
    in_bulk(gas, [&] {
      for (std::int64_t i = 0; i < gas.set().num_owned + gas.set().num_ghosts; ++i) {
        const bool is_ghost = i >= gas.set().num_owned;
        if (is_ghost) held.push_back(gas.id(i));
        for (std::int64_t c = 0; c < 3; ++c)
          gas.set_number("f", i, c, is_ghost ? static_cast<double>(gas.id(i) * (c + 1)) : static_cast<double>(c));
      }
    });
    std::map<std::int64_t, std::int64_t> holders;
    for (const std::int64_t id : gathered(MPI_COMM_WORLD, held)) ++holders[id];
    wrong += forces.reverse().wait().text();
    const Gas::Bulk bulk(gas);
    for (std::int64_t i = 0; i < gas.set().num_owned; ++i)
      for (std::int64_t c = 0; c < 3; ++c) {
        const auto expected = static_cast<double>(c + holders[gas.id(i)] * gas.id(i) * (c + 1));
        if (gas.number("f", i, c) != expected)
          wrong = "id " + std::to_string(gas.id(i)) + " has " + std::to_string(gas.number("f", i, c)) + " instead of " +
                  std::to_string(expected);
      }
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << name_of(layout);
  }
}

TEST_P(BordersOnEveryWay, RunSeveralExchangesOfSeveralReachesAtATime) {
  const auto domain = domain_of(MPI_COMM_WORLD);
  Gas gas(memory(), Layout::separate);
  fill(context(), domain, gas, 400, 29);
  Borders near(context(), domain, gas.set(), {.reach = 1.0});
  Borders far(context(), domain, gas.set(), {.reach = 4.0, .after = &near});
  GhostExchange near_all(near, with_id(gas));
  near.build();
  far.build();
  GhostExchange far_all(far, with_id(gas));  // after the build
  GhostExchange kinds(far, {"kind"});
  std::string wrong;
  for (int repeat = 0; repeat < 4; ++repeat) {
    Transfer a = near_all.forward();
    Transfer b = far_all.forward();
    Transfer c = kinds.forward();
    Transfer d = kinds.forward();
    wrong += c.wait().text() + a.wait().text() + d.wait().text() + b.wait().text();
  }
  const auto all = everybody(MPI_COMM_WORLD, gas);
  for (const Borders* borders : {&near, &far}) wrong += wrong_ghosts(all, domain, gas, *borders, context().rank());
  wrong += gas.wrong_codes(gas.set().num_owned + gas.set().num_ghosts);
  if (far.first_ghost() != near.first_ghost() + near.num_ghosts()) wrong += "not side by side";
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, BordersOnEveryWay, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Gpu, BordersOnEveryWay, testing::Values(kGpuPeer, kGpuStaged, kGpuOverMpi), name_of_way);

class BordersOnce : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gas(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  GasMemory memory() { return GasMemory::on(context, GetParam()); }

  Context context{MPI_COMM_WORLD, gas_options_of(GetParam())};
  ParticleDomain domain = domain_of(MPI_COMM_WORLD);
};

TEST_P(BordersOnce, SeePairsTwiceInAFullShellAndOnceInAHalfShell) {
  for (const Shell shell : {Shell::full, Shell::half})
    for (const double reach : {0.9, 3.0, 7.5}) {
      Gas gas(memory(), Layout::interleaved);
      fill(context, domain, gas, 60, 31);
      Borders borders(context, domain, gas.set(), {.reach = reach, .shell = shell});
      GhostExchange positions(borders, {"x"});
      borders.build();
      std::string wrong = positions.forward().wait().text();
      wrong += wrong_pairs(MPI_COMM_WORLD, domain, gas, borders, shell);
      ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << reach;
    }
}

TEST_P(BordersOnce, HoldParticlesBeyondAnOpenEndAsGhosts) {
  const auto open = domain_of(MPI_COMM_WORLD, {false, false, false});
  Gas gas(memory(), Layout::interleaved);
  std::mt19937_64 random(37);
  for (std::int64_t id = 0; id < 300; ++id) {
    Point3 p = point_in({{-20, -20, -20}, {30, 30, 30}}, random);
    if (id % context.size() == context.rank()) gas.add(id, p);
  }
  Migrator migrator(context, open, gas.set(), {MigrateChecks::all()});
  (void)migrator.migrate();
  Borders borders(context, open, gas.set(), {.reach = 2.0});
  GhostExchange all(borders, {"x", "id"});
  borders.build();
  std::string wrong = all.forward().wait().text();
  wrong += wrong_ghosts(everybody(MPI_COMM_WORLD, gas), open, gas, borders, context.rank());
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(BordersOnce, ReverseInFixedOrderGivesTheSameBitsInEveryRun) {
  Gas gas(memory(), Layout::interleaved);
  fill(context, domain, gas, 200, 41);
  Borders borders(context, domain, gas.set(), {.reach = 3.0});
  GhostExchange forces(borders, {"f"});
  borders.build();
  std::vector<double> first;
  for (int run = 0; run < 6; ++run) {
    in_bulk(gas, [&] {
      std::mt19937_64 random(static_cast<std::uint64_t>(context.rank()));
      for (std::int64_t i = 0; i < 3 * (gas.set().num_owned + gas.set().num_ghosts); ++i)
        gas.set_number("f", i / 3, i % 3, std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 60)));
    });
    std::string wrong = forces.reverse(Reduce::sum, ReduceOrder::fixed).wait().text();
    const Gas::Bulk bulk(gas);
    std::vector<double> sums;
    for (std::int64_t i = 0; i < 3 * gas.set().num_owned; ++i) sums.push_back(gas.number("f", i / 3, i % 3));
    if (run == 0) first = sums;
    if (std::memcmp(sums.data(), first.data(), sums.size() * sizeof(double)) != 0) wrong += "other bits";
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << "run " << run;
  }
}

// Migrated, listed, sent, shifted and summed: in Halyard's memory or a GPU's as in plain memory.
TEST_P(BordersOnce, GiveTheBitsThatTheyGiveInPlainHostMemory) {
  const auto bits_in = [&](GasMemory where, Layout layout) {
    Gas gas(std::move(where), layout);
    fill(context, domain, gas, 250, 61);
    Borders borders(context, domain, gas.set(), {.reach = 3.0});
    auto sent = gas.positions();
    sent.push_back("id");
    GhostExchange all(borders, sent);
    GhostExchange forces(borders, {"f"});
    borders.build();
    std::string wrong = all.forward().wait().text();
    std::vector<double> bits;
    in_bulk(gas, [&] {
      for (std::int64_t i = 0; i < gas.set().num_owned + gas.set().num_ghosts; ++i) {
        const Point3 p = gas.position(i);
        bits.insert(bits.end(), {static_cast<double>(gas.id(i)), p[0], p[1], p[2]});
        for (std::int64_t c = 0; c < 3; ++c)
          gas.set_number("f", i, c, std::sqrt(p[static_cast<std::size_t>(c)] + 20.0));
      }
    });
    wrong += forces.reverse(Reduce::sum, ReduceOrder::fixed).wait().text();
    const Gas::Bulk bulk(gas);
    for (std::int64_t i = 0; i < 3 * gas.set().num_owned; ++i) bits.push_back(gas.number("f", i / 3, i % 3));
    EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
    return bits;
  };
  for (const Layout layout : kLayouts) {
    const auto here = bits_in(memory(), layout);
    const auto there = bits_in(allocate_plain, layout);
    const bool is_same = here.size() == there.size() && std::memcmp(here.data(), there.data(), 8 * here.size()) == 0;
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, is_same ? "" : "other bits"), "") << name_of(layout);
  }
}

TEST_P(BordersOnce, RefuseToExchangeAfterAMigrationUntilTheyAreBuiltAgain) {
  Gas gas(memory(), Layout::interleaved);
  fill(context, domain, gas, 100, 43);
  Borders borders(context, domain, gas.set(), {.reach = 1.0});
  GhostExchange positions(borders, {"x"});
  borders.build();
  Status status = positions.forward().wait();
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, status.text()), "");
  gas.set().num_ghosts = 0;
  gas.add(1000 + context.rank(), {0, 0, 2});
  status = positions.forward().wait();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_THAT(status.text(), testing::HasSubstr("Borders::build()"));
}

TEST_P(BordersOnce, BadInputIsTheSameErrorOnAllRanks) {
  Gas gas(memory(), Layout::interleaved);
  fill(context, domain, gas, 100, 47);
  for (const double reach :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"reach", "above 0"},
                                [&] { Borders(context, domain, gas.set(), {.reach = reach}); }),
              "");
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"goes over more than 31 parts", "at most"},
                              [&] { Borders(context, domain, gas.set(), {.reach = 1e4}); }),
            "");
  Borders borders(context, domain, gas.set(), {.reach = 1.0});
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"no array 'q'", "there are: x, v"},
                              [&] { GhostExchange(borders, {"q"}); }),
            "");
  if (context.size() > 1) {
    EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::disagreement, {"same arrays"},
                                [&] { GhostExchange(borders, {context.rank() == 0 ? "f" : "v"}); }),
              "");
  }
  GhostExchange marks(borders, {"mark"});
  borders.build();
  EXPECT_THAT(marks.reverse().wait().text(), testing::HasSubstr("opaque"));
}

TEST_P(BordersOnce, TooSmallACapacityIsAnErrorOnAllRanksAndTheNextBuildIsRight) {
  Gas gas(memory(), Layout::interleaved);
  fill(context, domain, gas, 300, 53);
  Borders borders(context, domain, gas.set(), {.reach = 1.5});
  GhostExchange all(borders, with_id(gas));
  borders.build();
  const auto grow = gas.set().grow;
  if (context.rank() == context.size() - 1) {
    gas.set().num_ghosts = 0;
    gas.grow(gas.set().num_owned + 1);
    gas.set().grow = nullptr;
  }
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::out_of_resources, {"room for", "Particles::grow"},
                              [&] { borders.build(); }),
            "");
  gas.set().grow = grow;
  borders.build();
  std::string wrong = all.forward().wait().text();
  wrong += wrong_ghosts(everybody(MPI_COMM_WORLD, gas), domain, gas, borders, context.rank());
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(BordersOnce, ExplainSaysPathFormBytesAndWhatWouldBeBetter) {
  if (context.size() == 1) GTEST_SKIP() << "one rank has no neighbors";
  Gas gas(GetParam().is_on_gpu() ? memory() : GasMemory(allocate_plain), Layout::interleaved);
  fill(context, domain, gas, 300, 59);
  Borders borders(context, domain, gas.set(), {.reach = 1.5});
  GhostExchange positions(borders, {"x"});
  EXPECT_THAT(positions.explain(), testing::HasSubstr("not listed yet"));
  borders.build();
  const bool is_on_gpu = GetParam().is_on_gpu();
  EXPECT_THAT(positions.explain(), testing::HasSubstr(is_on_gpu ? "landing" : "mailbox"));
  EXPECT_THAT(positions.explain(),
              testing::HasSubstr(is_on_gpu ? "a build takes counts through host memory" : "x not in Halyard's memory"));
}

INSTANTIATE_TEST_SUITE_P(Host, BordersOnce, testing::Values(kDirect), name_of_way);
INSTANTIATE_TEST_SUITE_P(Gpu, BordersOnce, testing::Values(kGpuPeer), name_of_way);

}  // namespace
}  // namespace halyard::test
