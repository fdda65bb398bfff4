// run_live: the report of a live run, as text for a screen or as JSON.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "diagnose/check.hpp"
#include "facts/file_root.hpp"
#include "facts/text.hpp"
#include "halyard/version.hpp"
#include "live/measure.hpp"

namespace halyard::live {
namespace {

using Json = nlohmann::ordered_json;

std::string size_text(std::int64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{} MiB", bytes >> 20);
  return bytes >= 1024 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} B", bytes);
}

// Of an error that lists every path with its refusal, the line of this one; else its first line.
std::string reason_of(const WayResult& way) {
  const auto lines = facts::lines_of(way.not_run);
  for (const auto line : lines)
    if (const auto text = facts::trimmed(line); text.starts_with(way.name + ":"))
      return std::string(facts::trimmed(text.substr(way.name.size() + 1)));
  return lines.empty() ? std::string() : std::string(lines.front());
}

std::string row_of(const WayResult& way) {
  if (!way.ran()) return fmt::format("  {:<8} not open: {}\n", way.name, reason_of(way));
  std::string row = fmt::format("  {:<8} {:<18}", way.name, way.path);
  for (const Measurement& m : way.measurements) row += fmt::format(" {:>12.2f} {:>10.2f}", m.median_us, m.cpu_us);
  return row + (way.num_wrong == 0 ? "   yes\n" : fmt::format("   {} WRONG\n", way.num_wrong));
}

std::string header_of(const LiveResult& result) {
  std::string header = fmt::format("  {:<8} {:<18}", "way", "path");
  for (const WayResult& way : result.ways) {
    if (way.measurements.empty()) continue;
    for (const Measurement& m : way.measurements)
      header += fmt::format(" {:>12} {:>10}", size_text(m.face_bytes) + " us", "cpu us");
    break;
  }
  return header + "   right\n";
}

std::string text_of(const LiveResult& result, const diagnose::Findings& findings) {
  std::string text;
  for (const auto& finding : findings) {
    text += fmt::format("{}: {}{}{}\n", name_of(finding.verdict), finding.subject, finding.subject.empty() ? "" : ": ",
                        finding.summary);
    if (!finding.remedy.empty()) text += fmt::format("    {}\n", finding.remedy);
  }
  text += fmt::format("{} ranks, {} node(s), fields in {}; each exchange sends and receives two faces\n",
                      result.num_ranks, result.num_nodes, result.memory);
  text += header_of(result);
  for (const WayResult& way : result.ways) text += row_of(way);
  if (!result.mpi_on_gpu.empty()) text += fmt::format("  MPI takes GPU memory: {}\n", result.mpi_on_gpu);
  for (const std::string& remark : result.remarks) text += fmt::format("  note: {}\n", remark);
  return text;
}

Json json_of(const Measurement& m) {
  return {{"face_bytes", m.face_bytes},
          {"median_us", m.median_us},
          {"min_us", m.min_us},
          {"max_us", m.max_us},
          {"cpu_us", m.cpu_us}};
}

Json json_of(const LiveResult& result, const WayResult& way) {
  Json json{{"name", way.name}, {"path", way.path}};
  if (!way.ran()) {
    json["not_run"] = way.not_run;
    return json;
  }
  json["num_wrong"] = way.num_wrong;
  if (way.name != result.reference) json["speed_up"] = speed_up(result, way);
  for (const Measurement& m : way.measurements) json["measurements"].push_back(json_of(m));
  return json;
}

Json json_of(const LiveResult& result, const diagnose::Findings& findings) {
  Json json{{"halyard", {{"version", version()}, {"commit", commit()}}},
            {"ranks", result.num_ranks},
            {"nodes", result.num_nodes},
            {"memory", result.memory},
            {"gpu", result.is_gpu},
            {"reference", result.reference},
            {"ways", Json::array()},
            {"findings", Json::array()},
            {"remarks", result.remarks}};
  if (!result.mpi_on_gpu.empty()) json["mpi_on_gpu"] = result.mpi_on_gpu;
  for (const WayResult& way : result.ways) json["ways"].push_back(json_of(result, way));
  for (const auto& finding : findings)
    json["findings"].push_back({{"check", finding.check},
                                {"subject", finding.subject},
                                {"verdict", name_of(finding.verdict)},
                                {"summary", finding.summary},
                                {"evidence", finding.evidence},
                                {"remedy", finding.remedy},
                                {"page", diagnose::page_of(finding.check)}});
  return json;
}

// Tried before anything is measured, so that a wrong name costs nothing.
std::ofstream open_on_first_rank(MPI_Comm comm, const std::string& name) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::ofstream file;
  if (rank == 0 && !name.empty() && name != "-") file.open(name);
  int is_bad = rank == 0 && !name.empty() && name != "-" && !file ? 1 : 0;
  MPI_Bcast(&is_bad, 1, MPI_INT, 0, comm);
  if (is_bad != 0) throw std::invalid_argument(fmt::format("doctor --live: cannot write {}", name));
  return file;
}

// What explains the comparison: is there a NIC on this rank's node?
diagnose::Findings nic_findings() {
  const facts::LiveRoot root;
  return diagnose::run(*diagnose::find_check("nic"), diagnose::Machine(root));
}

int exit_code(diagnose::Verdict worst) {
  return worst == diagnose::Verdict::fail ? 2 : worst == diagnose::Verdict::warn ? 1 : 0;
}

}  // namespace

int run_live(MPI_Comm comm, const LiveOptions& options) {
  std::ofstream file = open_on_first_rank(comm, options.json_file);
  const LiveResult result = measure_live(comm, options);
  auto findings = findings_of(result);
  const int code = exit_code(worst_of(findings));  // what the node is like besides is not this command's verdict
  for (diagnose::Finding& finding : nic_findings()) findings.push_back(std::move(finding));
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    if (file.is_open()) file << json_of(result, findings).dump(2) << '\n';
    if (options.json_file == "-")
      fmt::print("{}\n", json_of(result, findings).dump(2));
    else
      fmt::print("{}", text_of(result, findings));
    if (file.is_open() && !file.flush())
      throw std::runtime_error(fmt::format("write {}: the disk may be full", options.json_file));
  }
  return code;
}

}  // namespace halyard::live
