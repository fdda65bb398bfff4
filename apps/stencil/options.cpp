// The command line, read with CLI11. Texts of options go through the small parsers at the top of
// this file.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "halyard/version.hpp"

namespace halyard::stencil {
namespace {

/// What the command line holds, before it is judged.
struct Texts {
  Settings settings;
  std::string cells, ranks, periodic = "all", explain, memory = "halyard", device = "host";
  std::string coefficient, points = "7";
  int radius = 0;  // 0: not given
  bool no_overlap = false;
};

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& wanted) {
  throw std::invalid_argument(option + " " + value + ": " + wanted);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  if (!text.empty() && text.back() == ',') parts.emplace_back();
  return parts;
}

std::int64_t extent(const std::string& option, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) refuse(option, text, "not a whole number");
  if (value < 1) refuse(option, text, "every extent must be at least 1");
  if (value > std::numeric_limits<std::int32_t>::max()) refuse(option, text, "an extent may be 2147483647 at most");
  return value;
}

Index3 extents(const std::string& option, const std::string& text, bool one_for_all) {
  const std::vector<std::string> parts = split(text);
  if (parts.size() == 1 && one_for_all) {
    const std::int64_t n = extent(option, parts[0]);
    return {n, n, n};
  }
  if (parts.size() != 3) refuse(option, text, one_for_all ? "takes N or NX,NY,NZ" : "takes PX,PY,PZ");
  return {extent(option, parts[0]), extent(option, parts[1]), extent(option, parts[2])};
}

std::array<bool, 3> periodic_axes(const std::string& text) {
  if (text == "all") return {true, true, true};
  std::array<bool, 3> periodic{false, false, false};
  if (text == "none") return periodic;
  const std::vector<std::string> axes = split(text);
  for (const std::string& axis : axes) {
    const std::size_t at = std::string("xyz").find(axis);
    if (axis.size() != 1 || at == std::string::npos) refuse("--periodic", text, "takes all, none or a list of x, y, z");
    periodic[at] = true;
  }
  if (axes.empty()) refuse("--periodic", "''", "takes all, none or a list of x, y, z");
  return periodic;
}

double positive_number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  if (!is_whole || !std::isfinite(value) || value <= 0) refuse(option, text, "takes a number above 0");
  return value;
}

Stencil stencil_of(const std::string& points, int radius) {
  if (points == "27") {
    if (radius > 1)
      refuse("--radius", std::to_string(radius), "the 27-point stencil has radius 1; leave one of them out");
    return {StencilShape::box, 1};
  }
  return {StencilShape::star, radius == 0 ? 1 : radius};
}

Explain explain_of(const std::string& text) {
  if (text == "all") return Explain::all;
  return text == "root" ? Explain::root : Explain::none;
}

void add_problem_options(CLI::App& app, Texts& texts) {
  Settings& s = texts.settings;
  app.add_option("--cells", texts.cells, "Cells of the whole grid: N or NX,NY,NZ (default 64, or the input's shape)");
  app.add_option("--ranks", texts.ranks, "Process grid PX,PY,PZ (default: closest to cubes)");
  app.add_option("--periodic", texts.periodic, "all, none, or a list such as x,y; other ghosts are held at 0");
  app.add_option("--steps", s.steps, "Time steps")->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53));
  app.add_option("--stencil", texts.points, "7 or 27 points")->check(CLI::IsMember({"7", "27"}));
  app.add_option("--radius", texts.radius, "Star stencil of order 2 * radius")->check(CLI::Range(1, 4));
  app.add_option("--coefficient", texts.coefficient, "c in u' = u + c * L(u) (default: half of the stability limit)");
  app.add_option("--device", texts.device, "host, or cuda: fields in GPU memory, one GPU per rank")
      ->check(CLI::IsMember({"host", "cuda"}));
  app.add_flag("--verify", s.verify, "Compare with the exact discrete solution; needs --periodic all, no --input");
}

void add_file_options(CLI::App& app, Texts& texts) {
  Settings& s = texts.settings;
  app.add_option("--input", s.input, "Initial field from a NumPy file: 3-D, f4 or f8, C or Fortran order, a[x, y, z]");
  app.add_option("--output", s.output, "Writes PREFIX_<rank>.vti, PREFIX.pvti and PREFIX.npy");
  app.add_option("--json", s.json, "Writes the results to this file");
}

void add_exchange_options(CLI::App& app, Texts& texts) {
  Settings& s = texts.settings;
  app.add_option("--path", s.path, "Paths that may be used (shared,mpi) or, after ^, may not (^ucx)");
  app.add_option("--deadline", s.deadline_s, "Seconds an exchange may take; 0 = for ever")
      ->check(CLI::Range(0.0, 1.0e9));
  app.add_option("--memory", texts.memory, "halyard: fields in Halyard's memory; user: ordinary Kokkos views")
      ->check(CLI::IsMember({"halyard", "user"}));
  app.add_flag("--no-overlap", texts.no_overlap, "Exchange first, then compute");
  app.add_option("--explain", texts.explain, "Prints how halos travel and why: of rank 0, or of all ranks")
      ->expected(0, 1)
      ->default_str("root")
      ->check(CLI::IsMember({"all", "root"}));
}

Settings judged(Texts texts) {
  Settings s = std::move(texts.settings);
  s.stencil = stencil_of(texts.points, texts.radius);
  if (!texts.cells.empty()) s.cells = extents("--cells", texts.cells, true);
  if (!texts.ranks.empty()) s.ranks = extents("--ranks", texts.ranks, false);
  s.periodic = periodic_axes(texts.periodic);
  if (!texts.coefficient.empty()) s.coefficient = positive_number("--coefficient", texts.coefficient);
  s.device = texts.device == "cuda" ? Device::cuda : Device::host;
  s.memory = texts.memory == "user" ? Memory::user : Memory::halyard;
  s.explain = explain_of(texts.explain);
  s.overlap = !texts.no_overlap;
  if (!s.output.empty() && s.output.back() == '/') refuse("--output", s.output, "needs a name after the folder");
  if (s.verify && !s.input.empty()) refuse("--verify", "", "starts from its own field; leave --input out");
  if (s.verify && s.periodic != std::array<bool, 3>{true, true, true})
    refuse("--verify", "", "knows the exact solution of a periodic grid only; use --periodic all");
  return s;
}

}  // namespace

Parsed parse(const std::vector<std::string>& arguments) {
  CLI::App app(
      "3-D diffusion with halo exchange by Halyard. Arguments that begin with --kokkos- go to "
      "Kokkos.",
      "halyard-stencil");
  Texts texts;
  const std::string version =
      "halyard-stencil " + std::string(halyard::version()) + " (" + std::string(halyard::commit()) + ")\n";
  app.set_version_flag("--version", version);
  add_problem_options(app, texts);
  add_file_options(app, texts);
  add_exchange_options(app, texts);
  std::vector<std::string> reversed(arguments.rbegin(),
                                    arguments.rend());  // CLI11 takes them from the back
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {{}, app.help()};
  } catch (const CLI::CallForVersion&) {
    return {{}, version};
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(std::string(error.what()) + "; 'halyard-stencil --help' lists the options");
  }
  return {judged(std::move(texts)), ""};
}

}  // namespace halyard::stencil
