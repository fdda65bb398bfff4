// The hooks of UCX, see library_events.hpp.
#include <ucm/api/ucm.h>

#include "memory/events/library_events.hpp"

namespace halyard::memory {
namespace {

class UcmEvents final : public LibraryEvents {
 public:
  explicit UcmEvents(UnmapEvents& listener) : listener_(listener) {}
  /// UCX lets no call of ours run on when this returns.
  ~UcmEvents() override { ucm_unset_event_handler(UCM_EVENT_VM_UNMAPPED, &on_unmapped, this); }

  bool open() { return ucm_set_event_handler(UCM_EVENT_VM_UNMAPPED, 0, &on_unmapped, this) == UCS_OK; }

 private:
  static void on_unmapped(ucm_event_type_t, ucm_event_t* event, void* self) {
    static_cast<UcmEvents*>(self)->listener_.note(Range::of(event->vm_unmapped.address, event->vm_unmapped.size));
  }

  UnmapEvents& listener_;
};

}  // namespace

std::unique_ptr<LibraryEvents> open_library_events(UnmapEvents& listener) {
  auto events = std::make_unique<UcmEvents>(listener);
  return events->open() ? std::move(events) : nullptr;
}

}  // namespace halyard::memory
