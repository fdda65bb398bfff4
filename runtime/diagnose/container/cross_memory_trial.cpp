// See cross_memory_trial.hpp.
#include "diagnose/container/cross_memory_trial.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "halyard/status.hpp"

namespace halyard::diagnose::container {
namespace {

std::array<char, 4096> g_page;  // at the same address in every child

// A child that runs `work`, and is gone when this is.
class Child {
 public:
  template <class Work>
  explicit Child(Work work) : pid_(fork()) {
    if (pid_ == 0) _exit(work());
    if (pid_ < 0)
      throw Error(StatusCode::out_of_resources,
                  fmt::format("make a process to try with: fork: {}", std::strerror(errno)));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  pid_t pid() const { return pid_; }
  /// What `work` returned; -1 when it was killed.
  int result() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

int sleep_until_killed() {
  for (;;) pause();
}

// 0, or the error's number. The page is not touched before: each child has its own copy.
int read_page_of(pid_t brother) {
  std::array<char, g_page.size()> copy{};
  const iovec here{copy.data(), copy.size()};
  const iovec there{g_page.data(), g_page.size()};
  const ssize_t bytes = process_vm_readv(brother, &here, 1, &there, 1, 0);
  if (bytes < 0) return errno;
  return bytes == static_cast<ssize_t>(copy.size()) && copy == g_page ? 0 : EIO;
}

}  // namespace

std::string try_cross_memory() {
  g_page.fill('h');
  const Child brother(sleep_until_killed);
  Child reader([&] { return read_page_of(brother.pid()); });
  const int error = reader.result();
  if (error == 0) return fmt::format("{} bytes of a brother were read", g_page.size());
  throw Error(StatusCode::not_supported, fmt::format("read another rank's memory: process_vm_readv: {}",
                                                     error < 0 ? "the process was killed" : std::strerror(error)));
}

}  // namespace halyard::diagnose::container
