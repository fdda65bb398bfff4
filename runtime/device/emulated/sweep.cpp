// sweep_names, see segment.hpp.
#include <signal.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "device/emulated/segment.hpp"
#include "device/process_identity.hpp"

namespace halyard::device::emulated {
namespace {

/// The process that made the name `<prefix><pid>.<random>`; nothing for other names.
std::optional<pid_t> owner_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc{} || end == name.data() + name.size() || *end != '.' || pid <= 0) return std::nullopt;
  return pid;
}

bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

void sweep_names() {
  // Pids of another namespace say nothing here, so its names are left to its own processes.
  const std::string prefix = name_prefix();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
    const std::string name = entry.path().filename().string();
    const auto owner = owner_of(name, prefix);
    if (owner && is_gone(*owner)) shm_unlink(name.c_str());
  }
}

}  // namespace halyard::device::emulated
