// The command line, read with CLI11. What depends on two options is judged in judged().
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <stdexcept>

#include "input/words.hpp"

namespace halyard::md {
namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;
constexpr std::int64_t kMostMelt = 2000;  // 32 billion atoms

/// What the command line holds, before it is judged.
struct Texts {
  Settings settings;
  std::string ranks, explain, precision = "double", newton, device = "host", thermostat = "none";
  std::string temperature;
};

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& wanted) {
  throw std::invalid_argument(option + " " + value + ": " + wanted);
}

/// A CLI11 check: a finite number above 0.
const CLI::Validator& positive() {
  static const CLI::Validator check(
      [](std::string& text) {
        const auto value = finite_number(text);
        return value && *value > 0 ? std::string() : "takes a number above 0, not " + in_quotes(text);
      },
      "ABOVE 0");
  return check;
}

const CLI::Validator& not_negative() {
  static const CLI::Validator check(
      [](std::string& text) {
        const auto value = finite_number(text);
        return value && *value >= 0 ? std::string() : "takes a number of 0 or more, not " + in_quotes(text);
      },
      "0 OR MORE");
  return check;
}

Index3 process_grid(const std::string& text) {
  Index3 grid{0, 0, 0};
  std::size_t begin = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t end = a < 2 ? text.find(',', begin) : text.size();
    if (end == std::string::npos) refuse("--ranks", text, "takes PX,PY,PZ");
    const auto number = whole_number(std::string_view(text).substr(begin, end - begin));
    if (!number || *number < 1 || *number > 1 << 20) refuse("--ranks", text, "takes PX,PY,PZ, whole numbers from 1");
    grid[a] = *number;
    begin = end + 1;
  }
  return grid;
}

void add_start_options(CLI::App& app, Texts& texts) {
  StartSettings& start = texts.settings.start;
  auto* data = app.add_option("--data", start.data, "LAMMPS data file to start from: atom style atomic, lj/cut");
  auto* restart = app.add_option("--restart", start.restart, "File of --write-restart to go on from");
  auto* melt = app.add_option("--melt", start.melt, "Start from N^3 fcc cells of 4 atoms each, density 0.8442, T 1.44")
                   ->check(CLI::Range(std::int64_t{1}, kMostMelt));
  data->excludes(restart)->excludes(melt);
  restart->excludes(melt);
}

void add_model_options(CLI::App& app, Texts& texts) {
  Settings& s = texts.settings;
  app.add_option("--steps", s.steps, "Time steps")->check(CLI::Range(std::int64_t{0}, kMostSteps));
  app.add_option("--dt", s.dt, "Length of a step")->check(positive());
  app.add_option("--cutoff", s.cutoff, "Cut-off of pairs that have none of their own in the file")->check(positive());
  app.add_option("--skin", s.skin, "Lists hold pairs this much further apart; made anew at half of it")
      ->check(positive());
  app.add_flag("--shift", s.is_shifted, "Energies are 0 at the cut-off");
  app.add_option("--precision", texts.precision, "double, or mixed: pairs in float, sums in double")
      ->check(CLI::IsMember({"double", "mixed"}));
}

void add_thermostat_options(CLI::App& app, Texts& texts) {
  ThermostatSettings& t = texts.settings.thermostat;
  app.add_option("--thermostat", texts.thermostat, "none (NVE), rescale or langevin")
      ->check(CLI::IsMember({"none", "rescale", "langevin"}));
  app.add_option("--temperature", texts.temperature, "Temperature of the thermostat")->check(not_negative());
  app.add_option("--thermostat-every", t.every, "rescale: steps between two scalings")
      ->check(CLI::Range(std::int64_t{1}, kMostSteps));
  app.add_option("--damp", t.damp, "langevin: relaxation time")->check(positive());
  app.add_option("--seed", t.seed, "langevin: seed of the random forces")
      ->check(CLI::Range(std::int64_t{0}, kMostSteps));
}

void add_output_options(CLI::App& app, Texts& texts) {
  OutputSettings& o = texts.settings.output;
  app.add_option("--thermo", o.thermo, "Steps between lines of energies; 0: first and last step only")
      ->check(CLI::Range(std::int64_t{0}, kMostSteps));
  app.add_flag("--total", o.is_total, "Energies of all atoms, not per atom");
  app.add_option("--dump", o.dump, "Writes atoms to this file, as LAMMPS' dump custom id type x y z vx vy vz fx fy fz");
  app.add_option("--dump-every", o.dump_every, "Steps between two dumps (default: those of --thermo)")
      ->check(CLI::Range(std::int64_t{1}, kMostSteps));
  app.add_option("--write-restart", o.restart, "Writes what --restart reads, after the last step");
  app.add_option("--json", o.json, "Writes the results to this file");
  app.add_option("--explain", texts.explain, "Prints how ghosts travel and why: of rank 0, or of all ranks")
      ->expected(0, 1)
      ->default_str("root")
      ->check(CLI::IsMember({"all", "root"}));
}

void add_parallel_options(CLI::App& app, Texts& texts) {
  Settings& s = texts.settings;
  app.add_option("--ranks", texts.ranks, "Process grid PX,PY,PZ (default: closest to cubes)");
  app.add_option(
         "--device", texts.device,
         "host, cuda (atoms in GPU memory, one GPU per rank) or emulated (the same steps without a GPU, for tests)")
      ->check(CLI::IsMember({"host", "cuda", "emulated"}));
  app.add_option("--newton", texts.newton,
                 "on: each pair once, forces travel back; off: twice, they do not (default: on; on a GPU off)")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_flag("--overlap", s.overlap, "Computes among own atoms while positions travel");
  app.add_flag("--fixed-order", s.fixed_order, "Sums in one order: equal bits in each run on as many ranks");
  app.add_flag("--checks", s.checks, "Checks ids and owners at each migration");
  app.add_option("--path", s.path, "Paths that may be used (shared,mpi) or, after ^, may not (^ucx)");
  app.add_option("--deadline", s.deadline_s, "Seconds an exchange may take; 0 = for ever")
      ->check(CLI::Range(0.0, 1.0e9));
}

void judge_thermostat(const Texts& texts, ThermostatSettings& t) {
  if (texts.thermostat == "rescale") t.kind = Thermostat::rescale;
  if (texts.thermostat == "langevin") t.kind = Thermostat::langevin;
  if (t.kind != Thermostat::none && texts.temperature.empty())
    refuse("--thermostat", texts.thermostat, "needs --temperature");
  if (t.kind == Thermostat::none && !texts.temperature.empty())
    refuse("--temperature", texts.temperature, "needs --thermostat rescale or langevin");
  if (!texts.temperature.empty()) t.temperature = *finite_number(texts.temperature);
}

// An option of a thermostat that does not run would be taken and do nothing.
void refuse_idle(const CLI::App& app, const std::string& thermostat) {
  for (const auto& [option, user] :
       {std::pair("--thermostat-every", "rescale"), std::pair("--damp", "langevin"), std::pair("--seed", "langevin")})
    if (app.count(option) > 0 && thermostat != user)
      refuse(option, app.get_option(option)->as<std::string>(), std::string("needs --thermostat ") + user);
}

Device device_of(const std::string& text) {
  if (text == "cuda") return Device::cuda;
  return text == "emulated" ? Device::emulated : Device::host;
}

Settings judged(Texts texts) {
  Settings s = std::move(texts.settings);
  judge_thermostat(texts, s.thermostat);
  s.precision = texts.precision == "mixed" ? Precision::mixed : Precision::double_;
  s.device = device_of(texts.device);
  const bool is_on_gpu = s.device != Device::host;
  if (is_on_gpu && texts.newton == "on")
    refuse("--newton", texts.newton,
           "a GPU's threads compute each pair twice, which costs less than taking turns; "
           "leave it out with --device " +
               texts.device);
  s.newton = texts.newton == "off" || is_on_gpu ? Newton::off : Newton::on;
  if (!texts.ranks.empty()) s.ranks = process_grid(texts.ranks);
  if (texts.explain == "all")
    s.output.explain = Explain::all;
  else if (texts.explain == "root")
    s.output.explain = Explain::root;
  if (s.output.dump_every != 0 && s.output.dump.empty())
    refuse("--dump-every", std::to_string(s.output.dump_every), "needs --dump FILE");
  for (const auto& [option, path] : {std::pair("--dump", s.output.dump), std::pair("--json", s.output.json),
                                     std::pair("--write-restart", s.output.restart)})
    if (!path.empty() && path.back() == '/') refuse(option, path, "needs a name after the folder");
  return s;
}

}  // namespace

Parsed parse(const std::vector<std::string>& arguments, const std::string& version) {
  CLI::App app(
      "Lennard-Jones molecular dynamics with particle exchange by Halyard, units lj. Arguments that begin with "
      "--kokkos- go to Kokkos.",
      "halyard-md");
  Texts texts;
  app.set_version_flag("--version", version);
  add_start_options(app, texts);
  add_model_options(app, texts);
  add_thermostat_options(app, texts);
  add_output_options(app, texts);
  add_parallel_options(app, texts);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 takes them from the back
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {{}, app.help()};
  } catch (const CLI::CallForVersion&) {
    return {{}, version};
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(std::string(error.what()) + "; 'halyard-md --help' lists the options");
  }
  refuse_idle(app, texts.thermostat);
  return {judged(std::move(texts)), ""};
}

}  // namespace halyard::md
