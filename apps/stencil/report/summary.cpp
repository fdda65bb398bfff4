// One line per fact, names to the left.
#include "report/summary.hpp"

#include <array>
#include <cstdio>
#include <map>

#include "halyard/version.hpp"
#include "model/eigenmode.hpp"

namespace halyard::stencil {
namespace {

template <class... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string spread_line(const char* name, const Spread& s) {
  return line("  %-15s min %.1f us, median %.1f us, p99 %.1f us\n", name, s.min, s.median, s.p99);
}

std::string by_text(const Index3& v) {
  return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
}

std::string bytes_text(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 10240) return line("%.0f bytes", value);
  if (bytes < 10 << 20) return line("%.1f KiB", value / 1024);
  return line("%.1f MiB", value / 1048576);
}

std::string paths_text(const Result& result) {
  std::map<std::string, int> links;
  for (const PathLine& path : result.paths) ++links[path.path];
  std::string text;
  for (const auto& [path, count] : links) text += ", " + std::to_string(count) + " by " + path;
  return text;
}

std::string verified_text(const Result& result) {
  if (!result.error) return "not asked for (--verify)";
  if (result.is_verified()) return line("yes: error %.2g <= %.0g", *result.error, kTolerance);
  return line("NO: error %.3g > %.0g", *result.error, kTolerance);
}

}  // namespace

std::string summary_of(const Result& result) {
  const Settings& settings = result.settings;
  std::string text = "halyard-stencil " + std::string(halyard::version()) + "\n";
  text += "  cells           " + by_text(result.cells) + ", " + settings.stencil.name() + "\n";
  text += "  ranks           " + std::to_string(result.num_ranks()) + " (" + by_text(result.ranks) + "), " +
          (result.gpu.empty() ? "host" : result.gpu) + "\n";
  text += "  steps           " + std::to_string(settings.steps) +
          (settings.overlap ? ", exchange overlapped\n" : ", exchange before computing\n");
  text += spread_line("time per step", result.times.step);
  text += spread_line("exchange", result.times.exchange);
  text += spread_line("exposed", result.times.exposed);
  if (!result.gpu.empty()) text += spread_line("compute", result.times.compute);
  text += "  bytes per step  " + bytes_text(result.bytes_per_step()) + paths_text(result) + "\n";
  text += "  verified        " + verified_text(result) + "\n";
  return text;
}

}  // namespace halyard::stencil
