// See kernel_events.hpp.
#include "memory/events/kernel_events.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "halyard/status.hpp"

namespace halyard::memory {
namespace {

/// UFFD_USER_MODE_ONLY, which needs no privilege; headers of older kernels lack it.
constexpr int kUserModeOnly = 1;
constexpr std::uint64_t kEvents = UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE;

[[noreturn]] void refuse(const char* call, int error) {
  throw Error(StatusCode::not_supported, fmt::format("{}: {}", call, std::strerror(error)));
}

int open_userfaultfd() {
  const long fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly);
  if (fd >= 0) return static_cast<int>(fd);
  const long older = errno == EINVAL ? syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK) : -1;  // before Linux 5.11
  if (older < 0) refuse("userfaultfd", errno);
  return static_cast<int>(older);
}

int open_eventfd() {
  const int fd = eventfd(0, EFD_CLOEXEC);
  if (fd < 0) refuse("eventfd", errno);
  return fd;
}

/// Signals are the program's, and its handlers may take long or jump.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

uffdio_range as_uffd(Range range) { return {range.first, range.bytes()}; }

}  // namespace

KernelEvents::KernelEvents(UnmapEvents& listener, std::atomic<bool>& is_hearing)
    : listener_(listener), is_hearing_(is_hearing), faults_(open_userfaultfd()), end_(open_eventfd()) {
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kEvents | UFFD_FEATURE_PAGEFAULT_FLAG_WP;
  if (ioctl(faults_.get(), UFFDIO_API, &api) != 0) refuse("userfaultfd: UFFDIO_API with unmap events", errno);
  const NoSignals inherited;
  thread_ = std::thread([this] { listen(); });
}

KernelEvents::~KernelEvents() {
  const std::uint64_t one = 1;
  while (write(end_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
}

bool KernelEvents::begin(Range range) {
  uffdio_register wish{};
  wish.range = as_uffd(range);
  wish.mode = UFFDIO_REGISTER_MODE_WP;
  return ioctl(faults_.get(), UFFDIO_REGISTER, &wish) == 0;
}

void KernelEvents::end(Range range) noexcept {
  // Fails where the memory has gone or is of another kind by now: then there is nothing left to end.
  uffdio_range over = as_uffd(range);
  (void)ioctl(faults_.get(), UFFDIO_UNREGISTER, &over);
}

void KernelEvents::listen() noexcept {
  pthread_setname_np(pthread_self(), "halyard-unmap");
  for (;;) {
    pollfd sources[] = {{faults_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
    if (poll(sources, 2, -1) < 0) continue;  // EINTR
    if ((sources[0].revents & POLLIN) != 0) take_event();
    if (sources[1].revents != 0) return;
  }
}

/// The thread that unmaps goes on as soon as the event is read, maybe before it is noted: hence is_hearing_.
void KernelEvents::take_event() noexcept {
  uffd_msg event;
  is_hearing_.store(true);
  if (read(faults_.get(), &event, sizeof event) == static_cast<ssize_t>(sizeof event)) {
    if (event.event == UFFD_EVENT_UNMAP || event.event == UFFD_EVENT_REMOVE) {
      listener_.note({event.arg.remove.start, event.arg.remove.end});
    } else if (event.event == UFFD_EVENT_REMAP) {
      const Range from{event.arg.remap.from, event.arg.remap.from + event.arg.remap.len};
      listener_.note(from);
      end({event.arg.remap.to, event.arg.remap.to + event.arg.remap.len});  // it took our interest along
    }
  }
  is_hearing_.store(false);
}

}  // namespace halyard::memory
