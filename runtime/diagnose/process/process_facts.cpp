// See process_facts.hpp.
#include "diagnose/process/process_facts.hpp"

#include <fmt/format.h>

#include "facts/text.hpp"

namespace halyard::diagnose {
namespace {

constexpr std::int64_t kMostIds = 0xffffffff;

std::optional<std::uint32_t> id_in(std::string_view word) {
  const auto number = facts::number_in(word);
  if (!number || *number < 0 || *number > kMostIds) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// "Uid: real effective saved file-system"
std::optional<std::uint32_t> effective_id(std::string_view status, std::string_view key) {
  const auto words = facts::split(facts::value_of(status, key).value_or(""));
  return words.size() < 2 ? std::nullopt : id_in(words[1]);
}

std::string_view seccomp_name(int mode) {
  return mode == 0 ? "no seccomp" : mode == 2 ? "seccomp filter" : "seccomp strict";
}

}  // namespace

bool ProcessFacts::may(Capability capability) const {
  return capabilities && ((*capabilities >> static_cast<int>(capability)) & 1U) != 0;
}

std::string ProcessFacts::text() const {
  return fmt::format("uid {}, capabilities {}, {}", user ? fmt::format("{}", *user) : "unknown",
                     capabilities ? fmt::format("0x{:x}", *capabilities) : "unknown",
                     seccomp ? seccomp_name(*seccomp) : "seccomp unknown");
}

ProcessFacts read_process_facts(const facts::Root& root) {
  const auto status = root.read("/proc/self/status");
  ProcessFacts process;
  process.access = status.access;
  process.user = effective_id(status.text, "Uid");
  if (const auto group = effective_id(status.text, "Gid")) process.groups.push_back(*group);
  for (const auto word : facts::split(facts::value_of(status.text, "Groups").value_or("")))
    if (const auto group = id_in(word)) process.groups.push_back(*group);
  process.capabilities = facts::hex_in(facts::value_of(status.text, "CapEff").value_or(""));
  if (const auto mode = facts::number_in(facts::value_of(status.text, "Seccomp").value_or("")))
    process.seccomp = static_cast<int>(*mode);
  return process;
}

}  // namespace halyard::diagnose
