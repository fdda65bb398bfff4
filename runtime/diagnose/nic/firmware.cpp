// firmware: is an adapter's firmware one that is known to lack what is needed, or another than that of its likes in the
// same machine? The table names where each row was learned.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "diagnose/nic/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::nic {
namespace {

using Version = std::array<std::int64_t, 3>;

// Firmware of one family below a version.
struct KnownBad {
  std::int64_t family;  // the first number: 16 is ConnectX-5, 20 ConnectX-6, 22 ConnectX-6 Dx, 28 ConnectX-7
  Version below;
  const char* trouble;
  const char* source;
};

constexpr std::array kTable{
    KnownBad{16, {16, 27, 0}, "UCX finds no DevX and goes without 32-bit atomics in hardware", "openucx/ucx#5376"},
};

std::optional<Version> version_in(std::string_view text) {
  const auto parts = facts::split(text, ".");
  if (parts.size() != 3) return std::nullopt;
  Version version{};
  for (std::size_t i = 0; i < version.size(); ++i) {
    const auto number = facts::number_in(parts[i]);
    if (!number || *number < 0) return std::nullopt;
    version[i] = *number;
  }
  return version;
}

std::string text_of(const Version& version) { return fmt::format("{}.{}.{:04}", version[0], version[1], version[2]); }

Finding judge(const topology::RdmaDevice& device, const std::map<std::string, Version>& newest) {
  Finding finding;
  finding.subject = device.name;
  finding.evidence = {fmt::format("{}/fw_ver: \"{}\", board_id: \"{}\"", device.sysfs,
                                  facts::quoted_text(device.firmware), facts::quoted_text(device.board))};
  const auto version = version_in(device.firmware);
  if (!version) {
    finding.summary =
        device.firmware.empty() ? "its version cannot be read" : "its version is not one of three numbers";
    return finding;
  }
  finding.verdict = Verdict::ok;
  finding.summary = facts::quoted_text(device.firmware);
  const std::string update = fmt::format("update it: mlxfwmanager -d {} --online -u; then reboot or mlxfwreset",
                                         device.pci ? topology::text_of(*device.pci) : device.name);
  if (const auto best = newest.find(device.board); best != newest.end() && *version < best->second) {
    finding.verdict = Verdict::warn;
    finding.summary =
        fmt::format("{} is older than {} of the same board in this machine", device.firmware, text_of(best->second));
    finding.remedy = update;
  }
  for (const KnownBad& bad : kTable) {
    if ((*version)[0] != bad.family || *version >= bad.below) continue;
    finding.verdict = Verdict::warn;
    finding.summary = fmt::format("{} is below {}: {}", device.firmware, text_of(bad.below), bad.trouble);
    finding.evidence.push_back(std::string("known from ") + bad.source);
    finding.remedy = update;
  }
  return finding;
}

}  // namespace

Findings check_firmware(const Machine& machine) {
  std::map<std::string, Version> newest;
  for (const topology::RdmaDevice& device : machine.rdma().devices)
    if (const auto version = version_in(device.firmware); version && !device.board.empty())
      newest[device.board] = std::max(newest[device.board], *version);
  Findings findings;
  for (const topology::RdmaDevice& device : machine.rdma().devices)
    if (device.pci) findings.push_back(judge(device, newest));
  if (findings.empty()) return nothing_to_check("no RDMA adapter with firmware");
  return findings;
}

}  // namespace halyard::diagnose::nic
