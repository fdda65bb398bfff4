// What LAMMPS data files are understood, and what each broken one is answered.
#include "input/data_file.hpp"

#include <gtest/gtest.h>

#include "input/line_reader.hpp"

namespace halyard::md {
namespace {

const std::string kGood =
    "title 17 atoms\n"           // 1: whatever it says
    "\n"                         // 2
    "3 atoms  # comment\n"       // 3
    "2 atom types\n"             // 4
    "0 bonds\n"                  // 5
    "-1.5 8.5 xlo xhi\n"         // 6
    "0 10 ylo yhi\n"             // 7
    "0 10 zlo zhi\n"             // 8
    "\n"                         // 9
    "Masses\n"                   // 10
    "\n"                         // 11
    "2 3.5\n"                    // 12
    "1 1\n"                      // 13
    "\n"                         // 14
    "Atoms  # atomic\n"          // 15
    "\n"                         // 16
    "30 1 -1.5 0 0\n"            // 17
    "10 2 8.5 1e0 9.9 0 -1 2\n"  // 18
    "\n"                         // 19
    "20 1 3 3 3   # last\n"      // 20
    "\n"                         // 21
    "Velocities\n"               // 22
    "\n"                         // 23
    "10 1 2 3\n"                 // 24
    "20 0 0 0\n"                 // 25
    "30 -1 0 0\n"                // 26
    "\n"                         // 27
    "Pair Coeffs # lj/cut\n"     // 28
    "\n"                         // 29
    "1 1.0 1.0\n"                // 30
    "2 0.5 1.5 3.0\n";           // 31

std::string refusal(const std::string& text) {
  try {
    read_data("x.data", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with(const std::string& old, const std::string& replacement) {
  std::string text = kGood;
  text.replace(text.find(old), old.size(), replacement);
  return text;
}

TEST(DataFile, IsReadWithCommentsImageFlagsTypesAndTerms) {
  const System system = read_data("x.data", kGood);
  EXPECT_EQ(system.box, (SpaceBox{{-1.5, 0, 0}, {8.5, 10, 10}}));
  EXPECT_EQ(system.num_atoms, 3);
  EXPECT_EQ(system.masses, (std::vector<double>{1, 3.5}));
  ASSERT_EQ(system.atoms.size(), 3U);
  EXPECT_EQ(system.atoms[0], (Atom{30, 1, {0, 0, 0}, {-1.5, 0, 0}, {-1, 0, 0}}));
  EXPECT_EQ(system.atoms[1], (Atom{10, 2, {1, -1, 2}, {-1.5, 1, 9.9}, {1, 2, 3}}))
      << "on the upper face: the next image";
  EXPECT_EQ(system.atoms[2], (Atom{20, 1, {0, 0, 0}, {3, 3, 3}, {0, 0, 0}}));
  EXPECT_EQ(system.pairs[pair_index(1, 1)], (PairTerm{0.5, 1.5, 3.0}));
  EXPECT_FALSE(system.pairs[pair_index(0, 1)]) << "is left to mixing";
}

TEST(DataFile, MayHaveDosLineEndsAndNoLastLineBreak) {
  std::string dos;
  for (const char c : kGood) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read_data("x.data", dos), read_data("x.data", kGood));
  EXPECT_EQ(read_data("x.data", kGood.substr(0, kGood.size() - 1)), read_data("x.data", kGood));
}

TEST(DataFile, MayLackMassesVelocitiesAndTerms) {
  std::string text = kGood.substr(0, kGood.find("Velocities"));
  text.erase(text.find("Masses"), text.find("Atoms ") - text.find("Masses"));
  const System system = read_data("x.data", text);
  EXPECT_EQ(system.masses, (std::vector<double>{1, 1}));
  EXPECT_EQ(system.atoms[1].v, (Vector{0, 0, 0}));
}

TEST(DataFile, MayGiveTermsOfEveryPairOfTypes) {
  const std::string all = "PairIJ Coeffs\n\n1 1 1 1\n2 1 0.7 1.1 2.2\n2 2 1 1\n";
  const System system = read_data("x.data", kGood.substr(0, kGood.find("Pair Coeffs")) + all);
  EXPECT_EQ(system.pairs[pair_index(0, 1)], (PairTerm{0.7, 1.1, 2.2}));
}

TEST(DataFile, CutOffAnywhereBeforeItsLastSectionIsRefusedWithALine) {
  const std::size_t atoms_end = kGood.find("\nVelocities");
  for (std::size_t length = 0; length < atoms_end - 30; ++length) {
    const std::string text = refusal(kGood.substr(0, length));
    EXPECT_NE(text.find("line "), std::string::npos) << length << ": " << text;
    EXPECT_NE(text.find("x.data"), std::string::npos) << text;
  }
}

struct Broken {
  const char* old;
  const char* replacement;
  const char* answer;
};
class BrokenFiles : public testing::TestWithParam<Broken> {};

TEST_P(BrokenFiles, AreAnsweredWithLineAndExpectation) {
  const std::string text = refusal(with(GetParam().old, GetParam().replacement));
  EXPECT_NE(text.find(GetParam().answer), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Headers, BrokenFiles,
    testing::Values(Broken{"3 atoms", "0 atoms", "line 3: there are 0 atoms"},
                    Broken{"3 atoms", "1 atoms", "line 3: there is 1 atom"},
                    Broken{"3 atoms", "-3 atoms", "line 3: expected the number of atoms"},
                    Broken{"3 atoms", "3 atmos", "line 3: expected a header line"},
                    Broken{"3 atoms", "3 atoms\n3 atoms", "the first is line 3"},
                    Broken{"3 atoms  # comment\n", "", "no line with 'atoms'"},
                    Broken{"2 atom types\n", "", "no line with 'atom types'"},
                    Broken{"2 atom types", "0 atom types", "0 atom types"},
                    Broken{"2 atom types", "257 atom types", "at most 256"}, Broken{"0 10 zlo zhi\n", "", "'zlo zhi'"},
                    Broken{"0 bonds", "4 bonds", "line 5: expected 0 bonds"},
                    Broken{"0 bonds", "1 2 3 xy xz yz", "not skewed"},
                    Broken{"0 10 ylo yhi", "10 0 ylo yhi", "line 7: expected a lower edge"},
                    Broken{"0 10 ylo yhi", "-1e308 1e308 ylo yhi", "line 7: expected a lower edge"},
                    Broken{"0 10 ylo yhi", "0 nan ylo yhi", "line 7: expected two finite numbers"},
                    Broken{"0 10 ylo yhi", "0 10 zlo zhi", "the first is line 7"}));

INSTANTIATE_TEST_SUITE_P(
    Sections, BrokenFiles,
    testing::Values(Broken{"Masses", "Messes", "line 10: expected a section"},
                    Broken{"Masses\n", "Bonds\n", "line 10: expected a section"},
                    Broken{"2 3.5", "3 3.5", "line 12: expected a type from 1 to 2"},
                    Broken{"2 3.5", "2 0", "line 12: expected a mass above 0"},
                    Broken{"Atoms  # atomic", "Atoms  # full", "line 15: section 'Atoms' is of style 'full'"},
                    Broken{"Atoms  # atomic\n", "Velocities\n", "expected section 'Atoms' before"},
                    Broken{"Pair Coeffs # lj/cut", "Pair Coeffs # eam", "style 'eam'"},
                    Broken{"2 0.5 1.5 3.0", "1 0.5 1.5 3.0", "line 31: expected the terms of each pair of types once"},
                    Broken{"2 0.5 1.5 3.0", "2 0.5 -1.5 3.0", "sigma above 0"},
                    Broken{"2 0.5 1.5 3.0", "2 0.5 1.5 3.0 4", "3 or 4 words"},
                    Broken{"2 0.5 1.5 3.0", "2 0.5 1.5 0", "line 31: expected a cut-off above 0"},
                    Broken{"2 0.5 1.5 3.0", "2 0.5 1.5\n3 1 1", "line 32: expected a section"},
                    Broken{"Pair Coeffs # lj/cut", "Masses", "this is the second"}));

INSTANTIATE_TEST_SUITE_P(
    AtomsAndVelocities, BrokenFiles,
    testing::Values(Broken{"20 1 3 3 3", "10 1 3 3 3", "line 20: expected each id once; atom 10 is already in line 18"},
                    Broken{"20 1 3 3 3", "0 1 3 3 3", "line 20: expected an id"},
                    Broken{"20 1 3 3 3", "20 3 3 3 3", "line 20: expected a type from 1 to 2"},
                    Broken{"20 1 3 3 3", "20 1 3 3 10.5", "line 20: expected an atom in the box"},
                    Broken{"20 1 3 3 3", "20 1 3 3 inf", "(is 'inf')"},
                    Broken{"20 1 3 3 3", "20 1 0 3 3 3", "5 or 8 words"},
                    Broken{"20 1 3 3 3", "20 1 3 3 3 0.5 0 0", "whole numbers as image flags"},
                    Broken{"20 1 3 3 3", "20 1 3 3 3 0 0 2000000000", "whole numbers as image flags"},
                    Broken{"20 1 3 3 3   # last\n", "", "line 21: expected 'id type x y z"},
                    Broken{"20 0 0 0", "21 0 0 0", "line 25: expected the id of an atom"},
                    Broken{"20 0 0 0", "10 0 0 0", "line 25: expected the velocity of each atom once"},
                    Broken{"20 0 0 0", "20 0 0 x", "line 25: expected a velocity"}));

}  // namespace
}  // namespace halyard::md
