// What a live run means, in the doctor's vocabulary. See result.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "live/result.hpp"

namespace halyard::live {
namespace {

using diagnose::Finding;
using diagnose::Verdict;

constexpr double kNotFaster = 0.95;  // below it the direct way is slower than what it should replace

const WayResult* reference_of(const LiveResult& result) {
  for (const WayResult& way : result.ways)
    if (way.name == result.reference && way.ran() && !way.measurements.empty()) return &way;
  return nullptr;
}

std::string evidence_of(const WayResult& way) {
  std::string text = fmt::format("{} by {}:", way.name, way.path);
  for (const Measurement& m : way.measurements)
    text += fmt::format(" {} B {:.2f} us (cpu {:.2f} us)", m.face_bytes, m.median_us, m.cpu_us);
  return text;
}

Finding wrong(const WayResult& way) {
  return {"live",
          way.name,
          Verdict::fail,
          fmt::format("{} values were wrong after exchanges by {}", way.num_wrong, way.path),
          {evidence_of(way)},
          fmt::format("do not use this path (HALYARD_PATH=^{}) and report it", way.path.substr(0, way.path.find(' ')))};
}

Finding not_run(const LiveResult& result, const WayResult& way) {
  const bool is_expected = !result.is_gpu && way.name != result.reference;  // a node has not every host path
  return {
      "live",
      way.name,
      is_expected ? Verdict::not_applicable : Verdict::fail,
      result.is_gpu && way.name == "direct" ? "there is no direct path for GPU memory between all of these ranks"
                                            : "not open between these ranks",
      {way.not_run},
      is_expected ? "" : "the evidence says what stands in the way; 'halyard doctor' without --live has the remedy"};
}

Finding compared(const LiveResult& result, const WayResult& way) {
  const WayResult* reference = reference_of(result);
  const double ratio = speed_up(result, way);
  const double cpu = way.measurements.empty() ? 0 : way.measurements.back().cpu_us;
  Finding finding{"live", way.name, Verdict::ok, "", {evidence_of(way)}, ""};
  if (reference == nullptr || ratio <= 0) {
    finding.summary = fmt::format("right by {}; there is nothing to compare it with", way.path);
    return finding;
  }
  finding.evidence.push_back(evidence_of(*reference));
  finding.summary = fmt::format(
      "right by {}; {:.2f} times as fast as {} at {} bytes, processor time {:.2f} us against {:.2f} us", way.path,
      ratio, reference->name, way.measurements.back().face_bytes, cpu, reference->measurements.back().cpu_us);
  if (ratio >= kNotFaster) return finding;
  finding.verdict = Verdict::warn;
  finding.remedy =
      fmt::format("run it again on a quiet node; if it stays slower, HALYARD_PATH=^{} avoids it", way.name);
  return finding;
}

}  // namespace

double speed_up(const LiveResult& result, const WayResult& way) {
  const WayResult* reference = reference_of(result);
  if (reference == nullptr || way.measurements.empty() || way.measurements.back().median_us <= 0) return 0;
  return reference->measurements.back().median_us / way.measurements.back().median_us;
}

diagnose::Findings findings_of(const LiveResult& result) {
  diagnose::Findings findings;
  for (const WayResult& way : result.ways) {
    if (!way.ran()) {
      findings.push_back(not_run(result, way));
    } else if (way.num_wrong > 0) {
      findings.push_back(wrong(way));
    } else if (way.name != result.reference) {
      findings.push_back(compared(result, way));
    }
  }
  const bool has_better = std::any_of(result.ways.begin(), result.ways.end(),
                                      [&](const WayResult& way) { return way.name != result.reference && way.ran(); });
  if (!has_better && !result.is_gpu)
    findings.push_back({"live",
                        "",
                        Verdict::warn,
                        "no path but MPI is open between these ranks",
                        {},
                        "'halyard doctor' without --live says what each path lacks"});
  return findings;
}

}  // namespace halyard::live
