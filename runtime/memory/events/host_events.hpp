// HostEvents: how this process hears that its memory goes. Made by UnmapEvents::of_process().
//
// The kernel tells of every way to unmap, also of system calls that no library sees (kernel_events.hpp). UCX's hooks
// (library_events.hpp) come in addition where UCX is there: they speak before the memory goes and know of shmdt, of
// which the kernel is silent. Without the kernel's word nothing is watched, since hooks miss what is linked past them
// (field case R02); one warning says so. Everything starts with the first watch.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory/events/kernel_events.hpp"
#include "memory/events/library_events.hpp"
#include "memory/events/unmap_events.hpp"

namespace halyard::memory {

class HostEvents final : public UnmapEvents {
 public:
  HostEvents() = default;
  ~HostEvents() override;

  std::string why_deaf() override;

 private:
  bool begin(Range range) override;
  void end(Range range) noexcept override;

  void open();
  /// Whether an unmapping by system call, past all libraries, is noted.
  bool hears_itself();

  std::mutex mutex_;
  bool is_open_ = false;
  std::string why_deaf_;
  std::vector<Range> watched_;
  std::unique_ptr<KernelEvents> kernel_;
  std::unique_ptr<LibraryEvents> library_;
};

/// The parts of `range` that none of `others` covers, in order.
std::vector<Range> uncovered(Range range, const std::vector<Range>& others);

}  // namespace halyard::memory
