// Built with nlohmann-json, which writes as many digits as bring the same double back; what is not finite becomes null.
#include <nlohmann/json.hpp>

#include "halyard/version.hpp"
#include "report/result.hpp"

namespace halyard::md {
namespace {

const char* name_of(Device device) {
  switch (device) {
    case Device::host:
      return "host";
    case Device::cuda:
      return "cuda";
    case Device::emulated:
      return "emulated";
  }
  return "";
}

using nlohmann::ordered_json;

ordered_json json_of(const Thermo& t, double by) {
  return {{"step", t.step},       {"temp", t.temperature}, {"pe", t.potential / by}, {"ke", t.kinetic / by},
          {"etot", t.total / by}, {"press", t.pressure},   {"momentum", t.momentum}};
}

ordered_json json_of(const ThermostatSettings& t) {
  if (t.kind == Thermostat::none) return nullptr;
  if (t.kind == Thermostat::rescale) return {{"kind", "rescale"}, {"temperature", t.temperature}, {"every", t.every}};
  return {{"kind", "langevin"}, {"temperature", t.temperature}, {"damp", t.damp}, {"seed", t.seed}};
}

void add_problem(ordered_json& json, const Result& r) {
  const Settings& s = r.settings;
  json["app"] = "halyard-md";
  json["version"] = halyard::version();
  json["commit"] = halyard::commit();
  json["ranks"] = r.num_ranks;
  json["grid"] = r.grid;
  json["atoms"] = r.num_atoms;
  json["types"] = r.num_types;
  json["steps"] = s.steps;
  json["dt"] = s.dt;
  json["cutoff"] = s.cutoff;
  json["skin"] = s.skin;
  json["shift"] = s.is_shifted;
  json["precision"] = s.precision == Precision::mixed ? "mixed" : "double";
  json["device"] = name_of(s.device);
  json["gpu"] = r.gpu;
  json["newton"] = s.newton == Newton::on;
  json["overlap"] = s.overlap;
  json["fixed_order"] = s.fixed_order;
  json["thermostat"] = json_of(s.thermostat);
}

void add_outcome(ordered_json& json, const Result& r) {
  json["energies"] = r.settings.output.is_total ? "total" : "per atom";
  const double by = r.settings.output.is_total ? 1.0 : static_cast<double>(r.num_atoms);
  json["thermo"] = ordered_json::array();
  for (const Thermo& t : r.thermo) json["thermo"].push_back(json_of(t, by));
  json["loop_s"] = r.loop_s;
  json["atom_steps_per_s"] = r.atom_steps_per_s();
  for (std::size_t i = 0; i < kNumPhases; ++i) json["seconds"][kPhaseNames[i]] = r.phases[i];
  json["exchange_share"] = exchange_share(r.phases);
  json["rebuilds"] = r.num_rebuilds;
  json["late_rebuilds"] = r.num_late_rebuilds;
  json["steps_looked_at"] = r.host_lead.num_looked;
  json["idle_steps"] = r.host_lead.num_idle;
  json["listed_pairs"] = r.num_listed_pairs;
  json["ghosts"] = r.num_ghosts;
}

}  // namespace

std::string to_json(const Result& result) {
  ordered_json json;
  add_problem(json, result);
  add_outcome(json, result);
  return json.dump(2) + "\n";
}

}  // namespace halyard::md
