// The table of energies, and one line per fact at the end.
#include <cstdio>

#include "halyard/version.hpp"
#include "report/result.hpp"

namespace halyard::md {
namespace {

template <class... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

const char* name_of(Thermostat kind) {
  if (kind == Thermostat::rescale) return "rescale";
  return kind == Thermostat::langevin ? "langevin" : "NVE";
}

}  // namespace

double Result::atom_steps_per_s() const {
  return loop_s > 0 ? static_cast<double>(num_atoms) * static_cast<double>(steps()) / loop_s : 0;
}

std::string thermo_header() {
  return line("%10s %15s %15s %15s %15s %15s\n", "Step", "Temp", "PE", "KE", "Etot", "Press");
}

std::string thermo_line(const Thermo& t, std::int64_t num_atoms) {
  const double by = static_cast<double>(num_atoms);
  return line("%10lld %15.9g %15.9g %15.9g %15.9g %15.9g\n", static_cast<long long>(t.step), t.temperature,
              t.potential / by, t.kinetic / by, t.total / by, t.pressure);
}

std::string summary_of(const Result& r) {
  std::string text = "halyard-md " + std::string(halyard::version()) + "\n";
  text +=
      line("  atoms           %lld of %d type(s), cut-off %g, skin %g, %s, %s\n", static_cast<long long>(r.num_atoms),
           r.num_types, r.settings.cutoff, r.settings.skin, name_of(r.settings.thermostat.kind),
           r.settings.precision == Precision::mixed ? "mixed precision" : "double precision");
  text +=
      line("  ranks           %d (%lld x %lld x %lld), %lld ghosts\n", r.num_ranks, static_cast<long long>(r.grid[0]),
           static_cast<long long>(r.grid[1]), static_cast<long long>(r.grid[2]), static_cast<long long>(r.num_ghosts));
  text += line("  steps           %lld, lists made %lld times\n", static_cast<long long>(r.steps()),
               static_cast<long long>(r.num_rebuilds));
  text += line("  loop            %.4f s, %.4g atom-steps/s\n", r.loop_s, r.atom_steps_per_s());
  text += "  of it          ";
  double all = 0;
  for (const double s : r.phases) all += s;
  for (std::size_t i = 0; i < kNumPhases && all > 0; ++i)
    text += line(" %s %.1f %%%s", kPhaseNames[i], 100 * r.phases[i] / all, i + 1 < kNumPhases ? "," : "");
  return text + "\n";
}

}  // namespace halyard::md
