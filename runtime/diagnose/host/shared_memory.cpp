// shm: is /dev/shm there and large enough? Ranks of one node meet there: Halyard's segments, Open MPI's, UCX's, NCCL's.
// Docker gives 64 MiB, and a full /dev/shm is a bus error in whoever does not look.
#include <fmt/format.h>

#include "diagnose/host/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::host {
namespace {

constexpr std::string_view kMounts = "/proc/mounts";
constexpr std::int64_t kTooLittle = std::int64_t{256} << 20;
constexpr std::int64_t kScarce = std::int64_t{1} << 30;
constexpr std::string_view kRemedy =
    "enlarge it: docker run --shm-size=8g or --ipc=host; in Kubernetes an emptyDir with medium: Memory on /dev/shm; on "
    "the "
    "node mount -o remount,size=50% /dev/shm";

// "65536k", "8g", "50%" of the machine's memory; nothing when it says something else.
std::optional<std::int64_t> bytes_of(std::string_view size, std::int64_t memory) {
  std::int64_t unit = 1;
  const char last = size.empty() ? '\0' : size.back();
  if (const auto power = std::string_view("kmgt").find(last); last != '\0' && power != std::string_view::npos)
    unit = std::int64_t{1} << (10 * (power + 1));
  const auto number = facts::number_in(unit == 1 && last != '%' ? size : size.substr(0, size.size() - 1));
  if (!number || *number < 0 || *number > INT64_MAX / unit) return std::nullopt;
  if (last == '%') return memory / 100 * *number;
  return *number * unit;
}

// The mount that was made last covers the ones before it.
std::string_view mount_of(std::string_view mounts) {
  std::string_view found;
  for (const auto line : facts::lines_of(mounts))
    if (const auto words = facts::split(line); words.size() > 3 && words[1] == "/dev/shm") found = line;
  return found;
}

std::int64_t machine_memory(const facts::Root& root) {
  const auto text = root.read("/proc/meminfo").text;
  return static_cast<std::int64_t>(facts::leading_number(facts::value_of(text, "MemTotal").value_or("")).value_or(0)) *
         1024;
}

std::optional<std::int64_t> size_of(std::string_view mount, std::int64_t memory) {
  for (const auto option : facts::split(facts::split(mount)[3], ","))
    if (option.starts_with("size=")) return bytes_of(option.substr(5), memory);
  return memory == 0 ? std::nullopt : std::optional(memory / 2);  // the kernel's default
}

}  // namespace

Findings check_shared_memory(const Machine& machine) {
  const auto mounts = machine.root().read(kMounts);
  if (!mounts.ok())
    return {{"", "", Verdict::unknown, "cannot read what is mounted", {facts::evidence_of(kMounts, mounts)}, ""}};
  Finding finding;
  const auto mount = mount_of(mounts.text);
  if (mount.empty() && machine.root().list("/dev/shm").ok()) {
    finding.summary = "/dev/shm is no file system of its own, so its size is that of /dev";
    finding.evidence = {fmt::format("{}: no row for /dev/shm", kMounts)};
    return {finding};
  }
  if (mount.empty())
    return {{"",
             "",
             Verdict::fail,
             "there is no /dev/shm: ranks of this node cannot share memory",
             {fmt::format("{}: no row for /dev/shm", kMounts)},
             "mount -t tmpfs tmpfs /dev/shm"}};
  finding.evidence = {fmt::format("{}: \"{}\"", kMounts, facts::quoted_text(mount))};
  const auto bytes = size_of(mount, machine_memory(machine.root()));
  finding.verdict = !bytes                ? Verdict::unknown
                    : *bytes < kTooLittle ? Verdict::fail
                    : *bytes < kScarce    ? Verdict::warn
                                          : Verdict::ok;
  finding.summary = bytes ? fmt::format("/dev/shm holds {} MiB", *bytes >> 20) : "cannot tell how large /dev/shm is";
  if (finding.verdict == Verdict::fail || finding.verdict == Verdict::warn) finding.remedy = kRemedy;
  return {finding};
}

}  // namespace halyard::diagnose::host
