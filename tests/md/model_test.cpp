// Lennard-Jones terms and their mixing, thermodynamic definitions, the melt's start, and restart files.
#include <gtest/gtest.h>

#include <cmath>

#include "input/line_reader.hpp"
#include "input/melt.hpp"
#include "input/restart_file.hpp"
#include "model/lennard_jones.hpp"
#include "model/thermo.hpp"

namespace halyard::md {
namespace {

System two_types() {
  System system;
  system.box = {{0, 0, 0}, {9, 9, 9}};
  system.num_atoms = 2;
  system.masses = {1, 2};
  system.pairs.resize(3);
  system.pairs[pair_index(1, 1)] = PairTerm{4.0, 1.44, 3.6};
  system.atoms = {{5, 1, {1, 0, -3}, {0.1, 0.2, 0.3}, {-1, 0, 1}}, {2, 2, {0, 0, 0}, {8.9, 0, 4}, {0, 1e-300, 0}}};
  return system;
}

TEST(LennardJones, MixesGeometrically) {
  const LennardJones model(two_types(), 2.5, EnergyShift::none);
  const PairConstants& mixed = model.table()[1];
  EXPECT_DOUBLE_EQ(mixed.cutoff_squared, 2.5 * 3.6);
  EXPECT_DOUBLE_EQ(mixed.energy6, 4 * 2.0 * std::pow(1.2, 6));
  EXPECT_DOUBLE_EQ(mixed.force12, 48 * 2.0 * std::pow(1.2, 12));
  EXPECT_EQ(model.table()[2].energy6, mixed.energy6) << "symmetric";
  EXPECT_EQ(model.longest_cutoff(), 3.6);
}

TEST(LennardJones, GivenTermsOfAPairAreNotMixed) {
  System system = two_types();
  system.pairs[pair_index(0, 1)] = PairTerm{0.5, 1.0, std::nullopt};
  const LennardJones model(system, 2.5, EnergyShift::none);
  EXPECT_DOUBLE_EQ(model.table()[1].energy6, 2.0);
  EXPECT_DOUBLE_EQ(model.table()[1].cutoff_squared, 6.25);
}

TEST(LennardJones, ShiftedEnergyIsZeroAtTheCutoff) {
  const LennardJones model(two_types(), 2.5, EnergyShift::zero_at_cutoff);
  for (const PairConstants& c : model.table()) {
    const double r6 = 1 / std::pow(c.cutoff_squared, 3);
    EXPECT_NEAR(r6 * (c.energy12 * r6 - c.energy6) - c.offset, 0, 1e-15);
    EXPECT_LT(c.offset, 0);
  }
}

TEST(Thermo, HasThreeFreedomsLessThanAtomsHave) {
  const Thermo t = thermo_of({-10, 6, 27, {1, 2, 3}}, 10, 100, 7);
  EXPECT_EQ(t.step, 7);
  EXPECT_EQ(t.temperature, 1);
  EXPECT_EQ(t.kinetic, 13.5);
  EXPECT_EQ(t.total, 3.5);
  EXPECT_DOUBLE_EQ(t.pressure, (9 * 1.0 + 6.0 / 3) / 100);
}

TEST(Melt, StartsAtItsTemperatureWithoutMomentum) {
  System all = melt_part(4, 0, 64);
  const double squares = remove_mean(all, velocity_sums(all));
  scale_to_start(all, squares);
  double sum = 0;
  for (const Atom& atom : all.atoms)
    for (const double v : atom.v) sum += v * v;
  EXPECT_NEAR(temperature_of(sum, 256), kMeltTemperature, 1e-14);
  for (const double p : velocity_sums(all).sum) EXPECT_NEAR(p, 0, 1e-12);
  for (const Atom& atom : all.atoms) EXPECT_TRUE(all.box.holds(atom.x));
}

TEST(Melt, IsTheSameInParts) {
  const System all = melt_part(3, 0, 27);
  std::vector<Atom> parts = melt_part(3, 0, 10).atoms;
  for (const Atom& atom : melt_part(3, 10, 27).atoms) parts.push_back(atom);
  EXPECT_EQ(parts, all.atoms);
}

TEST(Restart, KeepsEverythingBitForBit) {
  System system = two_types();
  system.step = 1234567890123;
  EXPECT_EQ(read_restart("r", to_restart(system)), system);
}

TEST(Restart, RefusesEveryTruncationAndEveryFlippedBit) {
  const std::string whole = to_restart(two_types());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(read_restart("r", whole.substr(0, length)), InputError) << length;
  EXPECT_THROW(read_restart("r", whole + "x"), InputError);
  for (std::size_t i = 0; i < 8 * whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
    EXPECT_THROW(read_restart("r", flipped), InputError) << "bit " << i;
  }
}

}  // namespace
}  // namespace halyard::md
