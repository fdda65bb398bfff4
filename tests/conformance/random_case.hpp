// RandomCase: one halo problem drawn from a seed: decomposition, periods, widths, reach, fields and their layout.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/coded_field.hpp"

namespace halyard::test {

struct RandomCase {
  BoxHalo halo;
  std::vector<Storing> fields;
  std::string text;  // for messages

  /// For exactly `num_ranks` ranks.
  static RandomCase draw(std::uint64_t seed, int num_ranks);
};

/// One rank's coded fields of a case, with its plan.
struct RankFields {
  std::vector<CodedField> coded;  // field * patches + patch
  std::vector<FieldView> views;
  std::vector<FieldShape> shapes;

  RankFields(const RandomCase& problem, const Pattern& pattern, const Allocate& allocate = allocate_plain);
  void fill(std::uint64_t step);
  /// The first wrong cell, or nothing.
  std::string check(std::uint64_t step) const;
};

}  // namespace halyard::test
