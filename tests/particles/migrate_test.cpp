// migrate and migrate_to: everybody arrives where they belong, with all that is theirs.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"
#include "particles/gas.hpp"

namespace halyard::test {
namespace {

constexpr std::int64_t kEach = 300;

// Rank r makes ids r * kEach …, anywhere in the box.
void fill(Gas& gas, const ParticleDomain& domain, int rank, std::int64_t each = kEach) {
  const Gas::Bulk bulk(gas);
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  for (std::int64_t i = 0; i < each; ++i) gas.add(rank * each + i, point_in(domain.box, random));
}

void displace(Gas& gas, double most, std::mt19937_64& random) {
  const Gas::Bulk bulk(gas);
  for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
    Point3 p = gas.position(i);
    for (double& x : p) x += between(-most, most, random);
    gas.set_position(i, p);
  }
}

class Migrate : public GasOnEveryWay {};

TEST_P(Migrate, EveryParticleArrivesAtItsOwnerWithAllItsValuesHoweverFarItGoes) {
  for (const Layout layout : kLayouts)
    for (const MigrateOrder order : {MigrateOrder::any, MigrateOrder::stable}) {
      const auto domain = uneven(domain_of(MPI_COMM_WORLD), 5);
      Gas gas(memory(), layout);
      fill(gas, domain, context().rank());
      Migrator migrator(context(), domain, gas.set(), {MigrateChecks::all()});
      std::mt19937_64 random(static_cast<std::uint64_t>(context().rank()));
      for (const double most : {0.0, 0.1, 3.0, 40.0, 2000.0, 0.5}) {
        displace(gas, most, random);
        const Migrated migrated = migrator.migrate({order});
        std::string wrong = wrong_ownership(MPI_COMM_WORLD, domain, gas, kEach * context().size());
        if (migrated.num_owned != gas.set().num_owned) wrong += " num_owned";
        ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << name_of(layout) << " by " << most;
      }
    }
}

TEST_P(Migrate, RanksThatAreNoNeighborsGetTheirParticlesAndOriginsToo) {
  const auto domain = row_of(MPI_COMM_WORLD);
  for (const MigrateOrder order : {MigrateOrder::any, MigrateOrder::stable}) {
    Gas gas(memory(), Layout::records);
    fill(gas, domain, context().rank());
    Migrator migrator(context(), domain, gas.set(), {MigrateChecks::all()});
    const Migrated migrated = migrator.migrate({order, -1, true});
    std::string wrong = wrong_ownership(MPI_COMM_WORLD, domain, gas, kEach * context().size());
    if (context().size() > 3 && migrated.num_far == 0) wrong += "nobody went far";
    const Gas::Bulk bulk(gas);
    for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {  // ids tell where particles were made
      const ParticleOrigin expected{static_cast<int>(gas.id(i) / kEach), gas.id(i) % kEach};
      if (migrated.origins.at(static_cast<std::size_t>(i)) != expected)
        wrong = "origin of id " + std::to_string(gas.id(i));
    }
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  }
}

TEST_P(Migrate, ManyLargeMessagesInPiecesArriveWhole) {
  const auto domain = domain_of(MPI_COMM_WORLD);
  constexpr std::int64_t kMany = 20'000;
  Gas gas(memory(), Layout::interleaved);
  fill(gas, domain, context().rank(), kMany);
  Migrator migrator(context(), domain, gas.set());
  (void)migrator.migrate();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong_ownership(MPI_COMM_WORLD, domain, gas, kMany * context().size())), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, Migrate, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Gpu, Migrate, testing::ValuesIn(kGpuWays), name_of_way);

class MigrateOnce : public testing::TestWithParam<Way> {
 protected:
  MigrateOnce()
      : context(MPI_COMM_WORLD, gas_options_of(GetParam())),
        domain(domain_of(MPI_COMM_WORLD)),
        gas(why_no_gas(GetParam()).empty() ? GasMemory::on(context, GetParam()) : GasMemory(allocate_plain),
            Layout::interleaved) {}
  void SetUp() override {
    if (const auto why = why_no_gas(GetParam()); !why.empty()) GTEST_SKIP() << why;
    fill(gas, domain, context.rank());
  }
  std::string wrong() { return wrong_ownership(MPI_COMM_WORLD, domain, gas, kEach * context.size()); }
  std::vector<std::int64_t> ids() const {
    const Gas::Bulk bulk(gas);
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < gas.set().num_owned; ++i) ids.push_back(gas.id(i));
    return ids;
  }
  /// Everybody's next rank, drawn alike on all ranks.
  int next_rank(std::int64_t id, int round) const {
    return static_cast<int>(std::mt19937_64(static_cast<std::uint64_t>(id * 64 + round))() %
                            static_cast<std::uint64_t>(context.size()));
  }

  Context context;
  ParticleDomain domain;
  Gas gas;
};

TEST_P(MigrateOnce, StableOrderKeepsStayersInPlaceAndPutsArrivalsBehindByRankAndOrderThere) {
  Migrator migrator(context, domain, gas.set());
  const int rank = context.rank();
  std::vector<std::int64_t> before = ids();
  for (int round = 0; round < 4; ++round) {
    std::vector<int> to;
    std::vector<std::int64_t> expected;
    for (const std::int64_t id : before) {
      to.push_back(next_rank(id, round));
      if (to.back() == rank) expected.push_back(id);
    }
    struct Place {
      std::int64_t id;
      std::int64_t holder;
    };
    std::vector<Place> mine;
    for (const std::int64_t id : before) mine.push_back({id, rank});
    for (const Place& place : gathered(MPI_COMM_WORLD, mine))
      if (place.holder != rank && next_rank(place.id, round) == rank) expected.push_back(place.id);
    (void)migrator.migrate_to(to, {MigrateOrder::stable});
    before = ids();
    const bool is_right = before == expected && gas.wrong_codes(gas.set().num_owned).empty();
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, is_right ? "" : "another order"), "") << "round " << round;
  }
}

TEST_P(MigrateOnce, AnyOrderCopiesNoStayerThatNeedNotFillAHole) {
  Migrator migrator(context, domain, gas.set());
  (void)migrator.migrate();
  const auto before = ids();
  std::vector<int> to(before.size(), context.rank());
  const std::size_t leavers = std::min<std::size_t>(10, before.size() / 2);
  for (std::size_t i = 0; i < leavers; ++i) to[2 * i] = (context.rank() + 1) % context.size();
  const Migrated migrated = migrator.migrate_to(to);
  const auto after = ids();
  std::string wrong;
  const std::size_t kept = std::min(before.size(), after.size());
  for (std::size_t i = 0; i < kept; ++i)
    if (to[i] == context.rank() && after[i] != before[i] && i + leavers < before.size()) wrong = "a stayer moved";
  const bool alone = context.size() == 1;
  if (migrated.num_left != (alone ? 0 : static_cast<std::int64_t>(leavers))) wrong += " num_left";
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(MigrateOnce, OriginsLetArraysFollowThatWereNotHandedOver) {
  Migrator migrator(context, domain, gas.set());
  for (const MigrateOrder order : {MigrateOrder::any, MigrateOrder::stable}) {
    const auto everybodys_before = [&] {
      std::vector<std::vector<std::int64_t>> by_rank;
      const auto all = gathered(MPI_COMM_WORLD, ids());
      const auto counts = gathered(MPI_COMM_WORLD, std::vector<std::int64_t>{gas.set().num_owned});
      auto next = all.begin();
      for (const std::int64_t count : counts) {
        by_rank.emplace_back(next, next + count);
        next += count;
      }
      return by_rank;
    }();
    std::vector<int> to;
    for (const std::int64_t id : ids()) to.push_back(next_rank(id, static_cast<int>(order) + 7));
    const Migrated migrated = migrator.migrate_to(to, {order, -1, true});
    const Gas::Bulk bulk(gas);
    std::string wrong = migrated.origins.size() == static_cast<std::size_t>(gas.set().num_owned) ? "" : "their number";
    for (std::size_t i = 0; i < migrated.origins.size() && wrong.empty(); ++i) {
      const ParticleOrigin& origin = migrated.origins[i];
      if (everybodys_before[static_cast<std::size_t>(origin.rank)][static_cast<std::size_t>(origin.index)] !=
          gas.id(static_cast<std::int64_t>(i)))
        wrong = "origin of element " + std::to_string(i);
    }
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  }
}

TEST_P(MigrateOnce, ImagesCountTheBoxLengthsThatWereTakenOff) {
  Migrator migrator(context, domain, gas.set());
  (void)migrator.migrate();
  std::vector<double> unwrapped(static_cast<std::size_t>(kEach * context.size()), 0);
  const double length = domain.box.hi[1] - domain.box.lo[1];
  in_bulk(gas, [&] {
    for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
      Point3 p = gas.position(i);
      unwrapped[static_cast<std::size_t>(gas.id(i))] = p[1] + 3.25 * length;
      p[1] += 3.25 * length;
      gas.set_position(i, p);
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, unwrapped.data(), static_cast<int>(unwrapped.size()), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  (void)migrator.migrate();
  const Gas::Bulk bulk(gas);
  std::string wrong;
  for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
    const double restored = gas.position(i)[1] + gas.image(i)[1] * length;
    if (std::abs(restored - unwrapped[static_cast<std::size_t>(gas.id(i))]) > 1e-12)
      wrong = "image of element " + std::to_string(i);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(MigrateOnce, TooSmallACapacityIsAnErrorOnAllRanksAndLosesNobody) {
  Migrator migrator(context, domain, gas.set());
  (void)migrator.migrate();
  const auto grow = std::exchange(gas.set().grow, nullptr);
  std::vector<int> to(static_cast<std::size_t>(gas.set().num_owned), 0);
  if (context.size() == 1) GTEST_SKIP() << "one rank: nobody arrives";
  if (context.rank() == 0) gas.grow(gas.set().num_owned + 5);
  ASSERT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::out_of_resources, {"rank 0", "room for", "capacity"},
                              [&] { (void)migrator.migrate_to(to); }),
            "");
  gas.set().grow = grow;
  (void)migrator.migrate();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong()), "");
}

TEST_P(MigrateOnce, ABadDestinationIsAnErrorOnAllRanksAndLosesNobody) {
  Migrator migrator(context, domain, gas.set());
  std::vector<int> to(static_cast<std::size_t>(gas.set().num_owned), 0);
  if (context.rank() == context.size() - 1) to[7] = context.size();
  ASSERT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"particle 7", "there are"},
                              [&] { (void)migrator.migrate_to(to); }),
            "");
  (void)migrator.migrate();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong()), "");
}

TEST_P(MigrateOnce, DifferentWishesForOriginsAreADisagreementAndLoseNobody) {
  if (context.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  Migrator migrator(context, domain, gas.set());
  MigrateOptions options;
  options.wants_origins = context.rank() == 0;
  const auto error = error_of([&] { (void)migrator.migrate(options); });
  const bool is_right =
      error && error->code() == StatusCode::disagreement && error->text().find("origins") != std::string::npos;
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, is_right ? "" : error ? error->text() : "no error"), "");
  (void)migrator.migrate();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong()), "");
}

TEST_P(MigrateOnce, DifferentDomainsOrArraysAreADisagreement) {
  if (context.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  auto other = domain;
  if (context.rank() == 0) other.box.hi[0] += 1e-9;
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::disagreement, {"same domain"},
                              [&] { Migrator(context, other, gas.set()); }),
            "");
  gas.set().arrays.back().migrates = context.rank() == 0;
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::disagreement, {"arrays"},
                              [&] { Migrator(context, domain, gas.set()); }),
            "");
}

TEST_P(MigrateOnce, AParticleThatTheCallerLostIsMissedByIdAndOneMadeTwiceIsFound) {
  Migrator migrator(context, domain, gas.set(), {{true, false, false}});
  (void)migrator.migrate();
  const std::int64_t total = kEach * context.size();
  // Lose ids 10 … 16, wherever they are: the first five must be named.
  auto lose = [&](std::int64_t id) {
    const Gas::Bulk bulk(gas);
    for (std::int64_t i = 0; i < gas.set().num_owned; ++i)
      if (gas.id(i) == id) {
        gas.set_id(i, gas.id(gas.set().num_owned - 1));
        --gas.set().num_owned;
        return;
      }
  };
  for (std::int64_t id = 10; id < 17; ++id) lose(id);
  EXPECT_EQ(
      not_refused_alike(MPI_COMM_WORLD, StatusCode::disagreement,
                        {"7 missing", "10, 11, 12, 13, 14;",
                         std::to_string(total) + " were there and " + std::to_string(total - 7) + " are", "at step 42"},
                        [&] {
                          (void)migrator.migrate({MigrateOrder::any, 42});
                        }),
      "");
  migrator.accept_ids();
  (void)migrator.migrate();
  if (context.rank() == 0) gas.add(gas.id(0), gas.position(0));
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::disagreement, {"is there twice"},
                              [&] { (void)migrator.migrate(); }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Ways, MigrateOnce, testing::Values(kMailbox), name_of_way);
INSTANTIATE_TEST_SUITE_P(Gpu, MigrateOnce, testing::Values(kGpuPeer), name_of_way);

}  // namespace
}  // namespace halyard::test
