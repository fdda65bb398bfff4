// families: a snapshot as metric families in Prometheus' sense, for the text format and for the HTTP endpoint. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halyard/metrics.hpp"

namespace halyard::metrics {

using Label = std::pair<std::string, std::string>;

struct Sample {
  std::vector<Label> labels;
  double value = 0;
  const Distribution* times = nullptr;  // of a histogram; lies in the snapshot
};

enum class FamilyKind { counter, gauge, histogram };
std::string_view name_of(FamilyKind kind);

struct Family {
  std::string_view name;
  std::string_view help;
  FamilyKind kind = FamilyKind::counter;
  std::vector<Sample> samples;
};

/// Every sample has the label rank. Names end in their base unit, and in _total where they only grow. The snapshot must
/// outlive what is answered.
std::vector<Family> families_of(const Metrics& metrics);

}  // namespace halyard::metrics
