// Public failures of particle codes as tests, named for their ids in shared/field-cases.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"
#include "particles/ghosts.hpp"

namespace halyard::test {
namespace {

class FieldCase : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gas(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  GasMemory memory() { return GasMemory::on(context, GetParam()); }
  bool is_on_gpu() const { return GetParam().is_on_gpu(); }

  Context context{MPI_COMM_WORLD, gas_options_of(GetParam())};

  std::string wrong_in(const ParticleDomain& domain, const Gas& gas, std::int64_t total) {
    return first_wrong(MPI_COMM_WORLD, wrong_ownership(MPI_COMM_WORLD, domain, gas, total));
  }
};

// On faces, edges, corners, one step above and below each, in float and double: every coordinate is one of a few.
TEST_P(FieldCase, P01_ParticlesOnEveryFaceEdgeAndCornerHaveOneOwner) {
  for (const bool is_uneven : {false, true})
    for (const std::array<bool, 3>& periodic : {std::array{true, true, true}, std::array{false, false, false}})
      for (const Layout layout : {Layout::interleaved, Layout::planes}) {
        auto domain = domain_of(MPI_COMM_WORLD, periodic);
        if (is_uneven) domain = uneven(domain, 3);
        std::array<std::vector<double>, 3> values;
        for (std::size_t a = 0; a < 3; ++a)
          for (int r = 0; r < context.size(); ++r)
            for (const double cut : {domain.box_of(r).lo[a], domain.box_of(r).hi[a]}) {
              const double below = layout == Layout::planes
                                       ? static_cast<double>(std::nextafter(static_cast<float>(cut), -1e9F))
                                       : std::nextafter(cut, -1e9);
              const double above = layout == Layout::planes
                                       ? static_cast<double>(std::nextafter(static_cast<float>(cut), 1e9F))
                                       : std::nextafter(cut, 1e9);
              for (const double x : {below, cut, above})
                if (std::find(values[a].begin(), values[a].end(), x) == values[a].end()) values[a].push_back(x);
            }
        Gas gas(memory(), layout);
        std::int64_t total = 0;
        in_bulk(gas, [&] {
          for (const double x : values[0])
            for (const double y : values[1])
              for (const double z : values[2]) {
                if (total % context.size() == context.rank()) gas.add(total, {x, y, z});
                ++total;
              }
        });
        Migrator migrator(context, domain, gas.set(), {MigrateChecks::all()});
        migrator.migrate();
        ASSERT_EQ(wrong_in(domain, gas, total), "") << name_of(layout);
      }
}

// L = 10, -1e-8f + 10 is 10.0f: particles that jitter about the seam for many steps.
TEST_P(FieldCase, P02_NobodyIsLostAtTheSeamInFloatAndDoubleFor25000Steps) {
  const auto domain = ParticleDomain::balanced({{0, 0, 0}, {10, 10, 10}}, {true, true, true}, context.size());
  for (const Layout layout : {Layout::planes, Layout::interleaved}) {
    Gas gas(memory(), layout);
    constexpr std::int64_t kTotal = 24;
    in_bulk(gas, [&] {
      for (std::int64_t id = context.rank(); id < kTotal; id += context.size()) gas.add(id, {0, 10 - 1e-6, 0});
    });
    Migrator migrator(context, domain, gas.set());
    std::string wrong;
    // 25,000 steps of the same kind on one rank; on more, each costs a round of messages.
    const int steps = is_on_gpu() ? 200 : context.size() <= 2 ? 25'000 : 2'500;
    for (int step = 0; step < steps && wrong.empty(); ++step) {
      in_bulk(gas, [&] {
        for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
          Point3 p = gas.position(i);
          const double sign = (step + gas.id(i)) % 2 == 0 ? -1 : 1;
          for (std::size_t a = 0; a < 3; ++a)
            p[a] += sign * std::pow(10.0, -static_cast<double>((gas.id(i) + static_cast<std::int64_t>(a)) % 12));
          gas.set_position(i, p);
        }
      });
      migrator.migrate();
      in_bulk(gas, [&] {
        for (std::int64_t i = 0; i < gas.set().num_owned; ++i)
          for (const double x : gas.position(i))
            if (!(x >= 0 && x < 10)) wrong = "a coordinate of " + std::to_string(x);
      });
    }
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
    ASSERT_EQ(wrong_in(domain, gas, kTotal), "") << name_of(layout);
  }
}

TEST_P(FieldCase, P03_AParticleThatGoes50BoxLengthsInAStepArrivesWithAllOthers) {
  const auto domain = ParticleDomain::balanced({{0, 0, 0}, {100, 100, 100}}, {true, true, true}, context.size());
  Gas gas(memory(), Layout::interleaved);
  std::mt19937_64 random(3);
  const std::int64_t kTotal = is_on_gpu() ? 5000 : 8000;
  in_bulk(gas, [&] {
    for (std::int64_t id = 0; id < kTotal; ++id) {
      const Point3 p = point_in(domain.box, random);
      if (id % context.size() == context.rank()) gas.add(id, p);
    }
  });
  Migrator migrator(context, domain, gas.set(), {MigrateChecks::all()});
  for (int step = 0; step < (is_on_gpu() ? 4 : 20); ++step) {
    in_bulk(gas, [&] {
      for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
        Point3 p = gas.position(i);
        const double speed = gas.id(i) == 4711 ? 5000.5 : 0.3;
        for (std::size_t a = 0; a < 3; ++a) p[a] += speed * (gas.id(i) % 2 == 0 ? 1 : -1);
        gas.set_position(i, p);
      }
    });
    migrator.migrate();
  }
  EXPECT_EQ(wrong_in(domain, gas, kTotal), "");
}

TEST_P(FieldCase, P05_AReachThatInteractionsDoNotFitIntoIsRefusedWithTheNeededWidth) {
  const auto domain = domain_of(MPI_COMM_WORLD);
  Gas gas(memory(), Layout::interleaved);
  gas.add(context.rank(), {0, 1, 2});
  Migrator(context, domain, gas.set()).migrate();
  Borders borders(context, domain, gas.set(), {.reach = 1.0});
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument,
                              {"bonds", "length 1.2", "reach of 1", "at least 1.2"},
                              [&] { borders.require_reach(1.2, "bonds"); }),
            "");
  EXPECT_NO_THROW(borders.require_reach(1.0, "bonds"));
}

// All particles in one corner, drifting round the box: each rank is empty most of the time, and right when they come.
TEST_P(FieldCase, P07_RanksThatAreEmptyForAThousandStepsTakePartAgain) {
  const auto domain = domain_of(MPI_COMM_WORLD);
  Gas gas(memory(), Layout::interleaved);
  std::mt19937_64 random(7);
  constexpr std::int64_t kTotal = 40;
  const SpaceBox corner{{-3, 0, 2}, {-2, 1, 3}};
  in_bulk(gas, [&] {
    for (std::int64_t id = 0; id < kTotal; ++id) {
      const Point3 p = point_in(corner, random);
      if (context.rank() == 0) gas.add(id, p);
    }
  });
  Migrator migrator(context, domain, gas.set(), {{true, true, false}});
  Borders borders(context, domain, gas.set(), {.reach = 1.2});
  GhostExchange all(borders, {"x", "id", "kind", "v", "mark"});
  const int steps = is_on_gpu() ? 1050 : 1200;
  for (int step = 0; step < steps; ++step) {
    const double drift = step < 1000 ? 0 : 0.1;
    in_bulk(gas, [&] {
      for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
        Point3 p = gas.position(i);
        for (double& x : p) x += drift;
        gas.set_position(i, p);
      }
    });
    if (step < 1000 && step % 100 != 0) {  // the borders stay as they are; the empty ranks go on exchanging
      ASSERT_TRUE(all.forward().wait().ok());
      continue;
    }
    migrator.migrate();
    borders.build();
    std::string wrong = all.forward().wait().text();
    if (step % 10 == 0) {
      wrong += wrong_ghosts(everybody(MPI_COMM_WORLD, gas), domain, gas, borders, context.rank());
      wrong += gas.wrong_codes(gas.set().num_owned + gas.set().num_ghosts);
      ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << "step " << step;
    }
  }
  EXPECT_EQ(wrong_in(domain, gas, kTotal), "");
}

TEST_P(FieldCase, P07_AGasThatExpandsIntoVacuumLosesNobody) {
  const auto domain = domain_of(MPI_COMM_WORLD, {false, false, false});
  Gas gas(memory(), Layout::records);
  std::mt19937_64 random(9);
  constexpr std::int64_t kTotal = 600;
  in_bulk(gas, [&] {
    for (std::int64_t id = 0; id < kTotal; ++id) {
      const Point3 p = point_in({{-3, 0, 2}, {-2.5, 0.5, 2.5}}, random);
      if (context.rank() == 0) gas.add(id, p);
    }
  });
  Migrator migrator(context, domain, gas.set(), {{true, true, false}});
  Borders borders(context, domain, gas.set(), {.reach = 0.7});
  GhostExchange all(borders, {"x", "id"});
  for (int step = 0; step < (is_on_gpu() ? 12 : 60); ++step) {
    in_bulk(gas, [&] {
      for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
        Point3 p = gas.position(i);
        for (std::size_t a = 0; a < 3; ++a)
          p[a] += 0.4 * static_cast<double>((gas.id(i) * (static_cast<std::int64_t>(a) + 3)) % 17 - 4) / 8;
        gas.set_position(i, p);
      }
    });
    migrator.migrate();
    borders.build();
    std::string wrong = all.forward().wait().text();
    if (step % 6 == 0) wrong += wrong_ghosts(everybody(MPI_COMM_WORLD, gas), domain, gas, borders, context.rank());
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << "step " << step;
  }
  EXPECT_EQ(wrong_in(domain, gas, kTotal), "");
}

TEST_P(FieldCase, P09_ABadCoordinateIsNamedByIdStepRankAndLastGoodPositionOnAllRanks) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto domain = domain_of(MPI_COMM_WORLD);
  for (const double bad : {kNan, kInfinity, -kInfinity, 1e300, -1e9})
    for (const std::size_t axis : {std::size_t{0}, std::size_t{2}}) {
      Gas gas(memory(), Layout::interleaved);
      std::mt19937_64 random(11);
      in_bulk(gas, [&] {
        for (std::int64_t id = 0; id < 100; ++id) {
          const Point3 p = id == 77 ? Point3{1.25, 2.5, 3.75} : point_in(domain.box, random);
          if (id % context.size() == context.rank()) gas.add(id, p);
        }
      });
      Migrator migrator(context, domain, gas.set(), {MigrateChecks::all()});
      for (std::int64_t step = 1; step < 3; ++step) migrator.migrate({MigrateOrder::any, step});
      in_bulk(gas, [&] {
        for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
          if (gas.id(i) != 77) continue;
          Point3 p = gas.position(i);
          p[axis] = bad;
          gas.set_position(i, p);
        }
      });
      const std::string owner = "on rank " + std::to_string(domain.owner_of({1.25, 2.5, 3.75}));
      EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument,
                                  {"id 77", "at step 3", owner, "last good position was (1.25, 2.5, 3.75)"},
                                  [&] {
                                    migrator.migrate({MigrateOrder::any, 3});
                                  }),
                "")
          << bad;
      // Nobody was lost, and the run can go on once the caller has mended it.
      in_bulk(gas, [&] {
        for (std::int64_t i = 0; i < gas.set().num_owned; ++i)
          if (gas.id(i) == 77) gas.set_position(i, {1.25, 2.5, 3.75});
      });
      migrator.migrate();
      ASSERT_EQ(wrong_in(domain, gas, 100), "");
    }
}

// Two sets of ghosts by turns, the second smaller: what was added for the first must not be added again.
TEST_P(FieldCase, Y09_ReverseAfterARebuildEqualsAFreshRunBitForBit) {
  const auto domain = domain_of(MPI_COMM_WORLD);
  const auto sums = [&](bool has_history) {
    Gas gas(memory(), Layout::interleaved);
    std::mt19937_64 random(13);
    in_bulk(gas, [&] {
      for (std::int64_t id = 0; id < 300; ++id) {
        const Point3 p = point_in(domain.box, random);
        if (id % context.size() == context.rank()) gas.add(id, p);
      }
    });
    Migrator migrator(context, domain, gas.set());
    Borders borders(context, domain, gas.set(), {.reach = 2.0});
    GhostExchange forces(borders, {"f"});
    GhostExchange ids(borders, {"id"});
    const auto run = [&](double squeeze) {
      in_bulk(gas, [&] {
        for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {  // towards the middle of the box: other ghosts, fewer
          Point3 p = gas.position(i);
          for (std::size_t a = 0; a < 3; ++a) p[a] += squeeze * ((domain.box.lo[a] + domain.box.hi[a]) / 2 - p[a]);
          gas.set_position(i, p);
        }
      });
      migrator.migrate({MigrateOrder::stable});
      borders.build();
      EXPECT_TRUE(ids.forward().wait().ok());
      in_bulk(gas, [&] {
        for (std::int64_t i = 0; i < gas.set().num_owned + gas.set().num_ghosts; ++i)
          for (std::int64_t c = 0; c < 3; ++c)
            gas.set_number("f", i, c, 1.0 / (static_cast<double>(gas.id(i)) + 3 + static_cast<double>(c)));
      });
      EXPECT_TRUE(forces.reverse(Reduce::sum, ReduceOrder::fixed).wait().ok());
    };
    if (has_history)
      for (const double squeeze : {0.5, -1.0, 0.5, -1.0}) run(squeeze);  // powers of two: positions come back exactly
    run(0.0);
    std::map<std::int64_t, std::array<double, 3>> by_id;
    in_bulk(gas, [&] {
      for (std::int64_t i = 0; i < gas.set().num_owned; ++i)
        by_id[gas.id(i)] = {gas.number("f", i, 0), gas.number("f", i, 1), gas.number("f", i, 2)};
    });
    return std::pair(by_id, borders.num_ghosts());
  };
  const auto fresh = sums(false);
  const auto rebuilt = sums(true);
  std::string wrong;
  if (fresh.second != rebuilt.second) wrong = "other ghosts";
  for (const auto& [id, f] : fresh.first)
    for (std::size_t c = 0; c < 3 && wrong.empty(); ++c)
      if (std::abs(rebuilt.first.at(id)[c] - f[c]) > 1e-12) wrong = "id " + std::to_string(id);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

// Each ghost has its owner's bits (and the shift, added once), whatever the number of ranks: said by the positions of
// all ghosts of all ranks being images of particles whose positions do not depend on it.
TEST_P(FieldCase, X01_ForwardIsIndependentOfTheNumberOfRanksToTheBit) {
  const auto seen_by = [&](MPI_Comm comm) {
    Context few(comm, gas_options_of(GetParam()));
    const auto domain = domain_of(comm);
    Gas gas(GasMemory::on(few, GetParam()), Layout::interleaved);
    std::mt19937_64 random(17);
    in_bulk(gas, [&] {
      for (std::int64_t id = 0; id < 200; ++id) {
        const Point3 p = point_in(domain.box, random);
        if (id % few.size() == few.rank()) gas.add(id, p);
      }
    });
    Migrator(few, domain, gas.set()).migrate();
    Borders borders(few, domain, gas.set(), {.reach = 2.0});
    GhostExchange all(borders, {"x", "id"});
    borders.build();
    EXPECT_TRUE(all.forward().wait().ok());
    // Of each owned particle, everything within reach: ids and positions, relative to nothing.
    std::map<std::int64_t, std::uint64_t> codes;
    in_bulk(gas, [&] {
      for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
        std::uint64_t code = 0;
        for (std::int64_t j = 0; j < gas.set().num_owned + gas.set().num_ghosts; ++j) {
          double square = 0;
          std::array<std::uint64_t, 3> bits{};
          for (std::size_t a = 0; a < 3; ++a) {
            const double d = gas.position(j)[a] - gas.position(i)[a];
            square += d * d;
            std::memcpy(&bits[a], &d, sizeof(d));
          }
          if (j != i && square < 4)
            code += (bits[0] * 3 + bits[1] * 5 + bits[2] * 7) ^ static_cast<std::uint64_t>(gas.id(j));
        }
        codes[gas.id(i)] = code;
      }
    });
    return codes;
  };
  const auto with_all = seen_by(MPI_COMM_WORLD);
  const auto alone = seen_by(MPI_COMM_SELF);
  std::string wrong;
  for (const auto& [id, code] : with_all)
    if (alone.at(id) != code) wrong = "id " + std::to_string(id) + " sees others, or elsewhere";
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

// PARTICLES_MIGRATIONS sets another number: the long run by hand has 10 million.
TEST_P(FieldCase, RandomMigrationsKeepAllInvariants) {
  const char* chosen = std::getenv("PARTICLES_MIGRATIONS");
  const std::int64_t wanted = chosen == nullptr ? (is_on_gpu() ? 20'000 : 400'000) : std::atoll(chosen);
  const auto domain = uneven(row_of(MPI_COMM_WORLD), 19);  // to neighbors, and far
  Gas gas(memory(), Layout::interleaved);
  std::mt19937_64 random(static_cast<std::uint64_t>(context.rank()) + 23);
  const std::int64_t kTotal = is_on_gpu() ? 2'000 : 20'000;
  in_bulk(gas, [&] {
    for (std::int64_t id = context.rank(); id < kTotal; id += context.size()) gas.add(id, point_in(domain.box, random));
  });
  Migrator migrator(context, domain, gas.set(), {{true, true, false}});
  std::int64_t num_moved = 0;
  for (int round = 0; num_moved < wanted && round < 2000; ++round) {
    std::int64_t moved = 0;
    if (round % 3 == 0) {
      std::vector<int> to;
      for (std::int64_t i = 0; i < gas.set().num_owned; ++i)
        to.push_back(static_cast<int>(random() % static_cast<std::uint64_t>(context.size())));
      moved = migrator.migrate_to(to, {round % 2 == 0 ? MigrateOrder::any : MigrateOrder::stable}).num_arrived;
    } else {
      in_bulk(gas, [&] {
        for (std::int64_t i = 0; i < gas.set().num_owned; ++i)
          gas.set_position(i, point_in({{-30, -30, -30}, {40, 40, 40}}, random));
      });
      moved = migrator.migrate({round % 2 == 0 ? MigrateOrder::any : MigrateOrder::stable}).num_arrived;
    }
    if (context.size() == 1) moved = gas.set().num_owned;  // nobody leaves: count those that were looked at
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    num_moved += moved;
  }
  migrator.migrate();
  EXPECT_GE(num_moved, wanted);
  EXPECT_EQ(wrong_in(domain, gas, kTotal), "");
}

INSTANTIATE_TEST_SUITE_P(Host, FieldCase, testing::Values(kDirect), name_of_way);
INSTANTIATE_TEST_SUITE_P(Gpu, FieldCase, testing::Values(kGpuPeer), name_of_way);

}  // namespace
}  // namespace halyard::test
