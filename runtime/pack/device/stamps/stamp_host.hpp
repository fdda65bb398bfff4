// The host twin of the kernels' stamps, for the emulated device; and how the host reads a ring that kernels write.
#pragma once

#include "pack/device/kernel.hpp"
#include "pack/device/stamps/stamp.hpp"
#include "pack/device/tables.hpp"

namespace halyard::pack::device {

/// Seals the stamp and puts it into the next place.
void append_on_host(const StampLog& log, const Stamp& stamp, const HostView& view);

/// What stands in a slot now, perhaps in the middle of being written.
Stamp seen_in(const Stamp& slot);

/// Takes the times of one launch of the host twin. Costs a look at a pointer when nobody wants them.
class StampTaker {
 public:
  StampTaker(const TracedLaunch& launch, const HostView& view) : launch_(launch), view_(view) {}

  void begun();
  void wait_is_over(FailureKind awaited);
  void has_sent();
  void ended(std::uint64_t number);

 private:
  Moments& moments() const { return *reinterpret_cast<Moments*>(view_(launch_.moments)); }

  const TracedLaunch& launch_;
  const HostView& view_;
};

}  // namespace halyard::pack::device
