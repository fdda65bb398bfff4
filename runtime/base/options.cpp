// Options and their HALYARD_* variables, see halyard/options.hpp.
#include "halyard/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "base/nearest_name.hpp"
#include "base/option_names.hpp"
#include "halyard/status.hpp"

namespace halyard {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view expected) {
  throw Error(StatusCode::invalid_argument, fmt::format("{}='{}': expected {}", name, value, expected));
}

double seconds_of(std::string_view name, std::string_view value) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error != std::errc{} || end != value.data() + value.size() || !(seconds >= 0) || !std::isfinite(seconds))
    refuse(name, value, "seconds, 0 or more (0 = no deadline)");
  return seconds;
}

Wait wait_of(std::string_view name, std::string_view value) {
  if (value == "auto") return Wait::automatic;
  if (value == "spin") return Wait::spin;
  if (value == "yield") return Wait::yield;
  refuse(name, value, "auto, spin or yield");
}

std::int64_t bytes_of_text(std::string_view name, std::string_view value) {
  constexpr std::string_view kSuffixes = "KMGT";
  constexpr std::string_view kExpected = "a number of bytes with an optional suffix K, M, G or T";
  std::int64_t bytes = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, bytes);
  if (error != std::errc{} || bytes < 0) refuse(name, value, kExpected);
  if (end == last) return bytes;
  const auto power = kSuffixes.find(*end);
  if (power == std::string_view::npos || end + 1 != last) refuse(name, value, kExpected);
  const auto shift = 10 * (power + 1);
  if (bytes > (INT64_MAX >> shift)) refuse(name, value, "fewer bytes than 2^63");
  return bytes << shift;
}

std::string log_of(std::string_view name, std::string_view value) {
  for (const std::string_view level : {"off", "error", "warn", "info", "debug"})
    if (value == level) return std::string(value);
  refuse(name, value, "off, error, warn, info or debug");
}

std::string device_of(std::string_view name, std::string_view value) {
  for (const std::string_view device : {"auto", "none", "cuda", "emulated"})
    if (value == device) return std::string(value);
  refuse(name, value, "auto, none, cuda or emulated");
}

bool yes_of(std::string_view name, std::string_view value) {
  if (value == "1" || value == "yes") return true;
  if (value == "0" || value == "no") return false;
  refuse(name, value, "1 or 0");
}

int int_of(std::string_view name, std::string_view value, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < least || number > most)
    refuse(name, value, fmt::format("a number from {} to {}", least, most));
  return number;
}

// The numbers of the verbs path, with what they may be.
struct VerbsNumber {
  std::string_view variable;
  std::string_view member;
  int VerbsOptions::*value;
  int least;
  int most;
};

constexpr VerbsNumber kGid{"HALYARD_VERBS_GID", "Options::verbs.gid", &VerbsOptions::gid, -1, 255};
constexpr VerbsNumber kTrafficClass{"HALYARD_VERBS_TRAFFIC_CLASS", "Options::verbs.traffic_class",
                                    &VerbsOptions::traffic_class, 0, 255};
constexpr VerbsNumber kServiceLevel{"HALYARD_VERBS_SERVICE_LEVEL", "Options::verbs.service_level",
                                    &VerbsOptions::service_level, 0, 15};
constexpr VerbsNumber kTimeout{"HALYARD_VERBS_TIMEOUT", "Options::verbs.timeout", &VerbsOptions::timeout, 0, 31};
constexpr VerbsNumber kRetry{"HALYARD_VERBS_RETRY", "Options::verbs.retry", &VerbsOptions::retry, 0, 7};
constexpr VerbsNumber kInPlace{"HALYARD_VERBS_IN_PLACE", "Options::verbs.in_place_bytes", &VerbsOptions::in_place_bytes,
                               -1, 1 << 30};
constexpr std::array kVerbsNumbers{kGid, kTrafficClass, kServiceLevel, kTimeout, kRetry, kInPlace};

template <const VerbsNumber& number>
void apply_number(Options& options, std::string_view name, std::string_view value) {
  options.verbs.*number.value = int_of(name, value, number.least, number.most);
}

struct Variable {
  std::string_view name;
  void (*apply)(Options&, std::string_view name, std::string_view value);
};

constexpr std::array kVariables{
    Variable{"HALYARD_PATH", [](Options& o, auto, auto value) { o.path = value; }},
    Variable{"HALYARD_DEADLINE", [](Options& o, auto name, auto value) { o.deadline_s = seconds_of(name, value); }},
    Variable{"HALYARD_WAIT", [](Options& o, auto name, auto value) { o.wait = wait_of(name, value); }},
    Variable{"HALYARD_ARENA", [](Options& o, auto name, auto value) { o.arena_bytes = bytes_of_text(name, value); }},
    Variable{"HALYARD_REGISTRATION_LIMIT",
             [](Options& o, auto name, auto value) { o.registration_bytes = bytes_of_text(name, value); }},
    Variable{"HALYARD_LOG", [](Options& o, auto name, auto value) { o.log = log_of(name, value); }},
    Variable{"HALYARD_DEVICE", [](Options& o, auto name, auto value) { o.device = device_of(name, value); }},
    Variable{"HALYARD_ALLOW_STAGING", [](Options& o, auto name, auto value) { o.allow_staging = yes_of(name, value); }},
    Variable{"HALYARD_VERBS_DEVICE", [](Options& o, auto, auto value) { o.verbs.device = value; }},
    Variable{kGid.variable, apply_number<kGid>},
    Variable{kTrafficClass.variable, apply_number<kTrafficClass>},
    Variable{kServiceLevel.variable, apply_number<kServiceLevel>},
    Variable{kTimeout.variable, apply_number<kTimeout>},
    Variable{kRetry.variable, apply_number<kRetry>},
    Variable{kInPlace.variable, apply_number<kInPlace>},
    Variable{"HALYARD_METRICS_FILE", [](Options& o, auto, auto value) { o.output.metrics_file = value; }},
    Variable{"HALYARD_METRICS_PORT", [](Options& o, auto, auto value) { o.output.metrics_port = value; }},
    Variable{"HALYARD_TRACE", [](Options& o, auto, auto value) { o.output.trace = value; }},
    Variable{"HALYARD_REPORT", [](Options& o, auto, auto value) { o.output.report = value; }},
    Variable{"HALYARD_SINGLETON", [](Options& o, auto name, auto value) { o.allow_singleton = yes_of(name, value); }},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kVariables.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kVariables[i].name;
  return names;
}();

[[noreturn]] void refuse_unknown(std::string_view name) {
  const auto known = base::option_names();
  throw Error(StatusCode::invalid_argument,
              fmt::format("unknown environment variable {}; did you mean {}? Known are {}", name,
                          base::nearest_name(name, known), fmt::join(known, ", ")));
}

void apply(Options& options, std::string_view entry) {
  const auto equals = entry.find('=');
  if (equals == std::string_view::npos) return;
  const auto name = entry.substr(0, equals);
  for (const auto& variable : kVariables)
    if (variable.name == name) return variable.apply(options, name, entry.substr(equals + 1));
  refuse_unknown(name);
}

// What the program set is held to the same as what a variable says.
void check(const Options& options) {
  if (!(options.deadline_s >= 0) || !std::isfinite(options.deadline_s))
    refuse("Options::deadline_s", fmt::format("{}", options.deadline_s), "seconds, 0 or more (0 = no deadline)");
  if (options.arena_bytes < 0)
    refuse("Options::arena_bytes", fmt::format("{}", options.arena_bytes), "0 or more bytes");
  for (const VerbsNumber& number : kVerbsNumbers)
    (void)int_of(number.member, fmt::format("{}", options.verbs.*number.value), number.least, number.most);
  if (options.registration_bytes < 0)
    refuse("Options::registration_bytes", fmt::format("{}", options.registration_bytes), "0 or more bytes");
  (void)log_of("Options::log", options.log);
  (void)device_of("Options::device", options.device);
}

}  // namespace

std::span<const std::string_view> base::option_names() { return kNames; }

Options Options::with_environment() const {
  Options options = *this;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("HALYARD_")) apply(options, *entry);
  check(options);
  return options;
}

}  // namespace halyard
