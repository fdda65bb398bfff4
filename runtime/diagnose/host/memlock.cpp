// memlock: may this process lock as much memory as a NIC wants to read and write? Registration and queue creation fail
// with "Cannot allocate memory" where it may not (field case N03). Silent where there is no RDMA.
#include <fmt/format.h>

#include <optional>

#include "diagnose/host/checks.hpp"
#include "diagnose/process/process_facts.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::host {
namespace {

constexpr std::string_view kLimits = "/proc/self/limits";
constexpr std::string_view kRow = "Max locked memory";
// Halyard's landing buffers and the queues of a rank fit in the first, a simulation's fields in the second.
constexpr std::int64_t kTooLittle = std::int64_t{64} << 20;
constexpr std::int64_t kScarce = std::int64_t{4} << 30;

constexpr std::string_view kThreePlaces =
    "ulimit -l unlimited in the job script; LimitMEMLOCK=infinity in slurmd.service ('systemctl edit slurmd'; "
    "limits.conf "
    "does not reach jobs); '* - memlock unlimited' in /etc/security/limits.conf for logins; in a container "
    "--ulimit memlock=-1 or the capability IPC_LOCK";

std::string_view row_of(std::string_view limits) {
  for (const auto line : facts::lines_of(limits))
    if (line.starts_with(kRow)) return line;
  return {};
}

Finding judge(std::string_view row) {
  Finding finding;
  finding.evidence = {fmt::format("{}: \"{}\"", kLimits, facts::quoted_text(row))};
  const auto words = facts::split(row.substr(std::min(kRow.size(), row.size())));
  const auto soft = words.empty() ? std::nullopt : facts::number_in(words[0]);
  if (!words.empty() && words[0] == "unlimited") {
    finding.verdict = Verdict::ok;
    finding.summary = "locked memory is not limited";
    return finding;
  }
  if (!soft) {
    finding.summary = "cannot read the limit of locked memory";
    return finding;
  }
  finding.verdict = *soft < kTooLittle ? Verdict::fail : *soft < kScarce ? Verdict::warn : Verdict::ok;
  finding.summary = fmt::format("locked memory is limited to {} bytes", *soft);
  if (finding.verdict == Verdict::ok) return finding;
  const bool may_raise = words.size() > 1 && words[1] == "unlimited";
  finding.remedy = fmt::format(
      "{}{}", may_raise ? "the hard limit is unlimited, so here 'ulimit -l unlimited' is enough; " : "", kThreePlaces);
  return finding;
}

}  // namespace

Findings check_memlock(const Machine& machine) {
  const auto limits = machine.root().read(kLimits);
  const auto row = row_of(limits.text);
  if (!machine.has_rdma()) return {{"", "", Verdict::not_applicable, "no RDMA adapter wants locked memory", {}, ""}};
  if (!limits.ok() || row.empty())
    return {{"",
             "",
             Verdict::unknown,
             "cannot read the limit of locked memory",
             {facts::evidence_of(kLimits, limits)},
             ""}};
  const auto process = read_process_facts(machine.root());
  Finding finding = judge(row);
  if (process.may(Capability::ipc_lock) && finding.verdict != Verdict::ok) {
    finding.verdict = Verdict::ok;
    finding.summary = "locked memory is not limited for this process (CAP_IPC_LOCK); for others it is";
    finding.remedy.clear();
    finding.evidence.push_back("/proc/self/status: " + process.text());
  }
  return {finding};
}

}  // namespace halyard::diagnose::host
