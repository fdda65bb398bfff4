// Fuzzes the command line: each line of the input is an argument. It parses to settings in their ranges, to a text, or
// to std::invalid_argument.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "options.hpp"

namespace {

using namespace halyard::md;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

void require_in_range(const Settings& s) {
  require(is_positive(s.dt) && is_positive(s.cutoff) && is_positive(s.skin) && is_positive(s.thermostat.damp));
  require(s.steps >= 0 && s.output.thermo >= 0 && s.output.dump_every >= 0 && s.thermostat.every >= 1);
  require(s.start.melt >= 1 && s.start.melt <= 2000);
  require(std::isfinite(s.thermostat.temperature) && s.thermostat.temperature >= 0);
  require(s.start.data.empty() || s.start.restart.empty());
  require(s.deadline_s >= 0);
  if (s.ranks) require((*s.ranks)[0] >= 1 && (*s.ranks)[1] >= 1 && (*s.ranks)[2] >= 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes), size));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  try {
    const Parsed parsed = parse(words, "v");
    if (parsed.text.empty()) require_in_range(parsed.settings);
  } catch (const std::invalid_argument& error) {
    require(error.what()[0] != '\0');
  }
  return 0;
}
