// ProcessIdentity: tells processes of one node apart, also where pids repeat (containers) and after a fork.
#pragma once

#include <compare>
#include <cstdint>

namespace halyard::device {

/// Travels between ranks as it lies in memory.
struct ProcessIdentity {
  std::uint64_t nonce = 0;      // random, drawn once per process; a forked child draws its own
  std::uint64_t pid_space = 0;  // inode of the PID namespace, 0 where /proc is not mounted
  std::int64_t pid = 0;         // for people

  friend auto operator<=>(const ProcessIdentity&, const ProcessIdentity&) = default;
};

/// Any thread.
ProcessIdentity this_process();

}  // namespace halyard::device
