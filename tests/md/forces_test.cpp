// Forces, energies and virials against a plain loop over all pairs; steps of motion against their formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/motion.hpp"
#include "kernels/pair_forces.hpp"
#include "scene.hpp"

namespace halyard::md {
namespace {

constexpr SpaceBox kPart{{0, 0, 0}, {6, 5, 7}};
constexpr double kReach = 2.9;

/// 120 atoms, no two too close; those beyond x = 4 are ghosts.
Scene mixed_scene(int num_types) {
  const SpaceBox part{{0, 0, 0}, {4, 5, 7}};
  std::vector<Vector> owned;
  std::vector<Vector> ghosts;
  for (const Vector& p : places(120, kPart, 0.9, 7)) (p[0] < 4 ? owned : ghosts).push_back(p);
  return {part, kReach, owned, ghosts, num_types};
}

LennardJones model_of(int num_types) {
  System system;
  for (int t = 0; t < num_types; ++t) system.masses.push_back(1.0 + t);
  system.pairs.resize(pair_index(0, num_types));
  for (int t = 0; t < num_types; ++t) system.pairs[pair_index(t, t)] = PairTerm{1.0 + t, 1.0 - 0.05 * t, 2.5 - 0.2 * t};
  return {system, 2.5, EnergyShift::zero_at_cutoff};
}

struct Expected {
  std::vector<Vector> forces;
  PairSums sums;  // `half`: every pair; `full`: pairs with ghosts count half
};

Expected by_hand(const Scene& scene, const LennardJones& model, ListKind kind) {
  const AtomViews<HostSpace>& atoms = scene.views;
  Expected result{std::vector<Vector>(static_cast<std::size_t>(atoms.num_all())), {}};
  for (int i = 0; i < atoms.num_owned; ++i)
    for (int j = i + 1; j < atoms.num_all(); ++j) {
      const auto& c =
          model.table()[static_cast<std::size_t>((atoms.type(i) - 1) * model.num_types() + atoms.type(j) - 1)];
      const double r2 = scene.distance_squared(i, j);
      if (r2 >= c.cutoff_squared) continue;
      const double r6 = 1 / (r2 * r2 * r2);
      const double over_r = r6 * (c.force12 * r6 - c.force6) / r2;
      const bool is_ghost = j >= atoms.num_owned;
      const double share = is_ghost && kind == ListKind::full ? 0.5 : 1;
      result.sums += {share * (r6 * (c.energy12 * r6 - c.energy6) - c.offset), share * r2 * over_r};
      for (std::size_t a = 0; a < 3; ++a) {
        const double f = (atoms.x(i, a) - atoms.x(j, a)) * over_r;
        result.forces[static_cast<std::size_t>(i)][a] += f;
        if (!is_ghost || kind == ListKind::half) result.forces[static_cast<std::size_t>(j)][a] -= f;
      }
    }
  return result;
}

struct Way {
  ListKind kind;
  int num_types;
  bool is_mixed;
};
class Forces : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(AllWays, Forces,
                         testing::Values(Way{ListKind::half, 1, false}, Way{ListKind::half, 3, false},
                                         Way{ListKind::full, 1, false}, Way{ListKind::full, 3, false},
                                         Way{ListKind::half, 2, true}, Way{ListKind::full, 2, true}));

TEST_P(Forces, AreThoseOfAPlainLoopOverAllPairs) {
  const auto [kind, num_types, is_mixed] = GetParam();
  const Scene scene = mixed_scene(num_types);
  ASSERT_GT(scene.views.num_ghosts, 20);
  const LennardJones model = model_of(num_types);
  const PairForces<HostSpace> forces(model, is_mixed, kind);
  const auto lists = scene.lists(kind);
  forces.clear(scene.views);
  PairSums sums = forces.add_and_sum(scene.views, lists.among_owned());
  sums += forces.add_and_sum(scene.views, lists.with_ghosts());

  const Expected expected = by_hand(scene, model, kind);
  const double tolerance = is_mixed ? 1e-5 : 1e-12;
  EXPECT_NEAR(sums.energy / expected.sums.energy, 1, tolerance);
  EXPECT_NEAR(sums.virial / expected.sums.virial, 1, tolerance);
  double largest = 0;
  for (const Vector& f : expected.forces) largest = std::max({largest, std::abs(f[0]), std::abs(f[1]), std::abs(f[2])});
  for (int i = 0; i < scene.views.num_all(); ++i)
    for (int a = 0; a < 3; ++a)
      EXPECT_NEAR(scene.f(i, a), expected.forces[static_cast<std::size_t>(i)][static_cast<std::size_t>(a)],
                  tolerance * largest)
          << "atom " << i;
}

TEST_P(Forces, AreTheSameWithAndWithoutSums) {
  const auto [kind, num_types, is_mixed] = GetParam();
  const Scene a = mixed_scene(num_types);
  const Scene b = mixed_scene(num_types);
  const PairForces<HostSpace> forces(model_of(num_types), is_mixed, kind);
  forces.add(a.views, a.lists(kind).among_owned());
  forces.add_and_sum(b.views, b.lists(kind).among_owned());
  for (int i = 0; i < a.views.num_owned; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(a.f(i, c), b.f(i, c));
}

TEST_P(Forces, AddUpToNothingWhereEachPairIsComputedOnce) {
  const auto [kind, num_types, is_mixed] = GetParam();
  if (kind == ListKind::full) GTEST_SKIP() << "full lists leave the other half to the ghosts' owners";
  const Scene scene = mixed_scene(num_types);
  const PairForces<HostSpace> forces(model_of(num_types), is_mixed, kind);
  const auto lists = scene.lists(kind);
  forces.add(scene.views, lists.among_owned());
  forces.add(scene.views, lists.with_ghosts());
  for (int a = 0; a < 3; ++a) {
    double sum = 0;
    for (int i = 0; i < scene.views.num_all(); ++i) sum += scene.f(i, a);
    EXPECT_NEAR(sum, 0, 1e-10);
  }
}

TEST(Motion, KicksByMassAndDriftsByTheNewVelocity) {
  const Scene scene(kPart, kReach, {{1, 1, 1}, {3, 3, 3}}, {}, 2);
  for (int i = 0; i < 2; ++i) {
    scene.v(i, 0) = 1;
    scene.f(i, 1) = 4;
  }
  Motion<HostSpace> motion({1.0, 2.0}, 0.5);
  motion.remember(scene.views);
  EXPECT_EQ(motion.kick_and_drift(scene.views, 1.0), 0);
  EXPECT_EQ(scene.v(0, 1), 0.5 * 0.5 * 4);
  EXPECT_EQ(scene.v(1, 1), 0.5 * 0.5 * 4 / 2);
  EXPECT_EQ(scene.x(0, 0), 1.5);
  EXPECT_EQ(scene.x(1, 1), 3 + 0.5 * 0.5);
  motion.kick(scene.views);
  EXPECT_EQ(scene.v(0, 1), 2);
}

TEST(Motion, CountsAtomsThatMovedFarAndThoseThatAreNowhere) {
  const Scene scene(kPart, kReach, {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}, {});
  Motion<HostSpace> motion({1.0}, 1.0);
  motion.remember(scene.views);
  scene.v(1, 2) = 0.25;
  scene.v(2, 0) = -0.125;
  scene.v(3, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(motion.kick_and_drift(scene.views, 0.25), 2) << "the second, exactly that far, and the last";
}

TEST(Motion, RaisesAFlagOneStepAheadOfTheOneInWhichAnAtomIsFar) {
  for (const double speed : {0.01, 0.07, 0.12, 0.3, std::numeric_limits<double>::quiet_NaN()}) {
    const Scene scene(kPart, kReach, {{1, 1, 1}, {3, 3, 3}}, {});
    Motion<HostSpace> motion({1.0}, 1.0);
    motion.remember(scene.views);
    scene.v(1, 2) = speed;
    const FarFlags<HostSpace> flags("flags");
    motion.kick_and_drift_ahead(scene.views, 0.25, flags);
    EXPECT_EQ(scene.x(0, 0), 1.0);
    if (speed == speed) {
      EXPECT_EQ(scene.x(1, 2), 3 + speed);
    }
    EXPECT_EQ(flags(kIsLate), speed < 0.25 ? 0 : 1) << speed;
    EXPECT_EQ(flags(kIsSoon), 3 * speed < 0.25 ? 0 : 1) << speed << ": where it is, and twice as far again";
  }
}

TEST(Motion, ExpectsAnAtomThatWasHitToGoFurther) {
  const Scene scene(kPart, kReach, {{1, 1, 1}}, {});
  Motion<HostSpace> motion({1.0}, 1.0);
  motion.remember(scene.views);
  scene.f(0, 0) = 0.08;  // half of it in a kick: 0.04 of speed, then 2 (0.04 + 2 * 0.04) on top of 0.04
  const FarFlags<HostSpace> flags("flags");
  motion.kick_and_drift_ahead(scene.views, 0.29, flags);
  EXPECT_EQ(flags(kIsSoon), 0);
  scene.v(0, 0) = 0;
  scene.x(0, 0) = 1;
  motion.kick_and_drift_ahead(scene.views, 0.27, flags);
  EXPECT_EQ(flags(kIsSoon), 1);
  EXPECT_EQ(flags(kIsLate), 0);
}

TEST(Motion, SumsKineticEnergyAndMomentumOfOwnedAtoms) {
  const Scene scene(kPart, kReach, {{1, 1, 1}, {3, 3, 3}}, {{6.5, 1, 1}}, 2);
  for (int i = 0; i < 3; ++i) scene.v(i, 1) = i + 1;
  const MotionSums sums = Motion<HostSpace>({1.0, 2.0}, 1.0).sums(scene.views);
  EXPECT_EQ(sums.mass_speed_squared, 1 + 2 * 4);
  EXPECT_EQ(sums.momentum, (std::array<double, 3>{0, 1 + 2 * 2, 0}));
}

TEST(Langevin, NoiseHasTheVarianceThatKeepsTheTemperatureAndNoMean) {
  std::vector<Vector> owned = places(4000, kPart, 0, 1);
  const Scene scene(kPart, kReach, owned, {});
  const Motion<HostSpace> motion({1.0}, 0.01);
  motion.add_langevin(scene.views, {1.5, 2.0, 0.01, 7, 11});
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 4000; ++i)
    for (int a = 0; a < 3; ++a) {
      sum += scene.f(i, a);
      squares += scene.f(i, a) * scene.f(i, a);
    }
  const double variance = 2 * 1.5 / (2.0 * 0.01);  // 2 m T / (damp dt)
  EXPECT_NEAR(squares / 12000 / variance, 1, 0.03);
  EXPECT_NEAR(sum / 12000 / std::sqrt(variance), 0, 0.04);
}

TEST(Langevin, DragTakesVelocityAway) {
  const Scene scene(kPart, kReach, {{1, 1, 1}}, {});
  scene.v(0, 0) = 3;
  Motion<HostSpace>({2.0}, 0.01).add_langevin(scene.views, {0.0, 0.5, 0.01, 1, 1});
  EXPECT_EQ(scene.f(0, 0), -2.0 / 0.5 * 3);
  EXPECT_EQ(scene.f(0, 1), 0);
}

}  // namespace
}  // namespace halyard::md
