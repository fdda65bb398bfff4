// Prints the metric families that the library exports with the labels of their samples, one a line:
// "name kind label,label".
#include <cstdio>
#include <string>

#include "metrics/prometheus/families.hpp"

int main() {
  halyard::Metrics metrics;
  metrics.paths.emplace_back();
  metrics.neighbors.emplace_back().rank = 1;
  for (const auto& family : halyard::metrics::families_of(metrics)) {
    std::string labels;
    for (const auto& [name, value] : family.samples.front().labels) labels += (labels.empty() ? "" : ",") + name;
    std::printf("%s %s %s\n", std::string(family.name).c_str(), std::string(name_of(family.kind)).c_str(),
                labels.c_str());
  }
  return 0;
}
