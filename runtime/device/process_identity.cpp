// See process_identity.hpp.
#include "device/process_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <random>

namespace halyard::device {
namespace {

std::uint64_t random_number() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

std::uint64_t pid_space() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

ProcessIdentity this_process() {
  static std::mutex mutex;
  static ProcessIdentity identity;
  const std::lock_guard lock(mutex);
  // A child of fork has its parent's copy, and is another process.
  if (identity.pid != getpid()) identity = {random_number(), pid_space(), getpid()};
  return identity;
}

}  // namespace halyard::device
