// gpu-visible: does CUDA_VISIBLE_DEVICES hide GPUs, or name some that are not there, and are GPUs cut into MIG slices?
#include <fmt/format.h>

#include <set>

#include "diagnose/gpu/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::gpu {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

bool is_uuid(std::string_view entry) { return entry.starts_with("GPU-") || entry.starts_with("MIG-"); }

// What CUDA makes of the list: it stops at the first entry that it cannot use. Empty when all are good.
std::string trouble_in(std::string_view value, std::size_t num_gpus) {
  std::set<std::string_view> seen;
  for (const std::string_view raw : facts::split(value, ",")) {
    const std::string_view entry = facts::trimmed(raw);
    if (!seen.insert(entry).second)
      return fmt::format("'{}' is named twice: CUDA then offers no GPU", facts::quoted_text(entry));
    if (is_uuid(entry)) continue;
    const auto index = facts::number_in(entry);
    if (!index)
      return fmt::format("'{}' is no index and no UUID: CUDA ignores it and all after it", facts::quoted_text(entry));
    if (*index < 0) return fmt::format("{} ends the list: no GPU after it is seen", *index);
    if (*index >= static_cast<std::int64_t>(num_gpus))
      return fmt::format("there is no GPU {} (of {}): CUDA ignores it and all after it", *index, num_gpus);
  }
  return seen.empty() ? "it is empty: CUDA offers no GPU" : "";
}

Finding by_variable(const Machine& machine) {
  Finding finding;
  const auto value = machine.variable(kVisible);
  const std::size_t num_gpus = machine.topology().gpus.size();
  if (!value) {
    const bool is_known = machine.variables_access() == facts::Access::ok;
    finding.verdict = is_known ? Verdict::ok : Verdict::unknown;
    finding.summary =
        is_known ? fmt::format("all {} GPUs are offered to CUDA", num_gpus) : "the environment cannot be read";
    finding.evidence = {is_known ? fmt::format("{} is not set", kVisible)
                                 : facts::evidence_of("/proc/self/environ", {machine.variables_access()})};
    return finding;
  }
  finding.evidence = {fmt::format("{}={}", kVisible, facts::quoted_text(*value))};
  const std::string trouble = trouble_in(*value, num_gpus);
  finding.verdict = trouble.empty() ? Verdict::ok : Verdict::fail;
  finding.summary = trouble.empty() ? fmt::format("{} of {} GPUs are offered to this process",
                                                  facts::split(*value, ",").size(), num_gpus)
                                    : trouble;
  if (!trouble.empty()) finding.remedy = fmt::format("unset {}, or name GPUs of 'nvidia-smi -L' once each", kVisible);
  return finding;
}

// MIG slices show as GPU instances below the driver's capabilities.
std::vector<std::string> sliced_gpus(const facts::Root& root) {
  constexpr const char* kCapabilities = "/proc/driver/nvidia/capabilities";
  std::vector<std::string> sliced;
  for (const std::string& gpu : root.list(kCapabilities).names) {
    const std::string folder = fmt::format("{}/{}/mig", kCapabilities, gpu);
    for (const std::string& name : root.list(folder).names)
      if (name.starts_with("gi")) {
        sliced.push_back(folder + "/" + name);
        break;
      }
  }
  return sliced;
}

}  // namespace

Findings check_visible(const Machine& machine) {
  if (!machine.has_gpu()) return nothing_to_check("no NVIDIA GPU");
  Findings findings{by_variable(machine)};
  const auto sliced = sliced_gpus(machine.root());
  if (!sliced.empty()) {
    Finding finding;
    finding.verdict = Verdict::warn;
    finding.summary =
        fmt::format("{} GPUs are cut into MIG slices, which cannot reach each other's memory: staged", sliced.size());
    finding.evidence = sliced;
    finding.remedy = "for peer access switch MIG off: nvidia-smi -i <gpu> -mig 0 (as root, GPU idle)";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace halyard::diagnose::gpu
