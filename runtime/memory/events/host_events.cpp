// See host_events.hpp.
#include "memory/events/host_events.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"
#include "halyard/status.hpp"

namespace halyard::memory {

HostEvents::~HostEvents() = default;

std::string HostEvents::why_deaf() {
  const std::lock_guard lock(mutex_);
  open();
  return why_deaf_;
}

void HostEvents::open() {
  if (is_open_) return;
  is_open_ = true;
  try {
    kernel_ = std::make_unique<KernelEvents>(*this, is_hearing_);
    library_ = open_library_events(*this);
    if (!hears_itself()) why_deaf_ = "a test mapping was unmapped by system call and userfaultfd did not tell";
  } catch (const Error& error) {
    why_deaf_ = error.status().text();
  }
  if (why_deaf_.empty()) return;
  kernel_.reset();
  library_.reset();
  base::log_warn(fmt::format(
      "registrations of host memory are not kept from one binding to the next: {}; allow userfaultfd (the container's "
      "seccomp profile; Linux 5.11 or newer, or sysctl vm.unprivileged_userfaultfd=1), or bind once",
      why_deaf_));
}

bool HostEvents::hears_itself() {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const Range range = Range::of(memory, bytes);
  const auto slot = table().add(range);
  const bool is_watched = slot && kernel_->begin(range);
  syscall(SYS_munmap, memory, bytes);
  settle();
  const bool is_heard = is_watched && table().is_stale(*slot);
  if (slot) table().remove(*slot);
  return is_heard;
}

bool HostEvents::begin(Range range) {
  const std::lock_guard lock(mutex_);
  open();
  if (kernel_ == nullptr || !kernel_->begin(range)) return false;
  watched_.push_back(range);
  return true;
}

void HostEvents::end(Range range) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(watched_.begin(), watched_.end(), range);
  if (found == watched_.end()) return;
  watched_.erase(found);
  for (const Range& piece : uncovered(range, watched_)) kernel_->end(piece);
}

std::vector<Range> uncovered(Range range, const std::vector<Range>& others) {
  std::vector<Range> covers;
  for (const Range& other : others)
    if (other.overlaps(range)) covers.push_back(other);
  std::sort(covers.begin(), covers.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  std::vector<Range> pieces;
  for (const Range& cover : covers) {
    if (range.first < cover.first) pieces.push_back({range.first, cover.first});
    range.first = std::max(range.first, std::min(cover.end, range.end));
  }
  if (range.first < range.end) pieces.push_back(range);
  return pieces;
}

}  // namespace halyard::memory
