// bar1: is the window through which a NIC sees GPU memory as large as that memory? Where it is not, registrations are
// capped below it, and what does not fit is staged (field case K02). Read from the PCI resources, without the driver.
#include <fmt/format.h>

#include <optional>

#include "diagnose/gpu/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::gpu {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr const char* kMemory = "nvidia-smi --query-gpu=pci.bus_id,memory.total --format=csv,noheader,nounits";

// A line "start end flags" of the resource file; nothing when it is damaged, zero when nothing is assigned.
std::optional<std::uint64_t> bytes_of_bar(std::string_view resource, std::size_t bar) {
  const auto lines = facts::lines_of(resource);
  if (bar >= lines.size()) return std::nullopt;
  const auto numbers = facts::split(lines[bar]);
  if (numbers.size() != 3 || !numbers[0].starts_with("0x") || !numbers[1].starts_with("0x")) return std::nullopt;
  const auto first = facts::hex_in(numbers[0].substr(2));
  const auto last = facts::hex_in(numbers[1].substr(2));
  if (!first || !last || *last < *first) return std::nullopt;
  return *last == 0 ? 0 : *last - *first + 1;
}

// MiB by nvidia-smi, when it is there and answers.
std::optional<std::uint64_t> memory_mib(const facts::Reading& answer, const topology::PciAddress& address) {
  for (const std::string_view line : facts::lines_of(answer.text)) {
    const auto cells = facts::split(line, ",");
    if (cells.size() != 2 || topology::pci_address_in(facts::trimmed(cells[0])) != address) continue;
    const auto mib = facts::number_in(cells[1]);
    if (mib && *mib > 0) return static_cast<std::uint64_t>(*mib);
  }
  return std::nullopt;
}

Finding judge(std::uint64_t bar_mib, std::optional<std::uint64_t> gpu_mib) {
  constexpr std::uint64_t kSmallMib = 1024;  // boards without "large BAR" have 256 MiB
  Finding finding;
  const bool is_small = gpu_mib ? bar_mib < *gpu_mib : bar_mib < kSmallMib;
  finding.verdict = is_small ? Verdict::warn : Verdict::ok;
  finding.summary = gpu_mib ? fmt::format("BAR1 is {} MiB for {} MiB of GPU memory", bar_mib, *gpu_mib)
                            : fmt::format("BAR1 is {} MiB", bar_mib);
  if (is_small)
    finding.remedy = fmt::format(
        "keep what is registered below {} MiB, or let the BIOS map all of it: 'Above 4G Decoding' and "
        "'Resizable BAR' on, then nvidia-smi -q -d MEMORY shows BAR1",
        bar_mib > 32 ? bar_mib - 32 : 0);
  return finding;
}

Finding check_one(const Machine& machine, const topology::PciDevice& device, const facts::Reading& memory) {
  const std::string path = device.sysfs + "/resource";
  const auto resource = machine.root().read(path, 8192);
  const auto bytes = resource.ok() ? bytes_of_bar(resource.text, 1) : std::nullopt;
  Finding finding;
  if (!bytes || *bytes == 0) {
    finding.summary = !resource.ok() || !bytes
                          ? "the size of BAR1 cannot be read"
                          : "BAR1 has no address: the BIOS gave it none, or the platform needs none";
  } else {
    finding = judge(*bytes / kMiB, memory_mib(memory, device.address));
  }
  finding.subject = text_of(device.address);
  const auto lines = facts::lines_of(resource.text);
  finding.evidence.push_back(resource.ok() && lines.size() > 1
                                 ? fmt::format("{}, line 2: \"{}\"", path, facts::quoted_text(lines[1]))
                                 : facts::evidence_of(path, resource));
  return finding;
}

}  // namespace

Findings check_bar1(const Machine& machine) {
  Findings findings;
  if (!machine.has_gpu()) return nothing_to_check("no NVIDIA GPU");
  const auto memory = machine.root().output(kMemory);
  for (const topology::PciDevice& device : machine.pci().devices)
    if (topology::is_gpu(device)) findings.push_back(check_one(machine, device, memory));
  return findings;
}

}  // namespace halyard::diagnose::gpu
