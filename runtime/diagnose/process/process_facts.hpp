// ProcessFacts: who the process of a root is and what it may do, from /proc/self/status. Pure data; checks of host and
// container read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/root.hpp"

namespace halyard::diagnose {

/// Numbers of linux/capability.h.
enum class Capability : int { dac_override = 1, ipc_lock = 14, sys_ptrace = 19 };

struct ProcessFacts {
  facts::Access access = facts::Access::missing;  // of /proc/self/status
  std::optional<std::uint32_t> user;              // effective
  std::vector<std::uint32_t> groups;              // effective and supplementary
  std::optional<std::uint64_t> capabilities;      // effective
  std::optional<int> seccomp;                     // 0 none, 1 strict, 2 filter

  bool may(Capability capability) const;
  /// "uid 1000, capabilities 0x0, seccomp filter"
  std::string text() const;
};

ProcessFacts read_process_facts(const facts::Root& root);

}  // namespace halyard::diagnose
