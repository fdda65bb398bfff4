// See program.hpp.
#include "facts/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "facts/text.hpp"

namespace halyard::facts {
namespace {

using Clock = std::chrono::steady_clock;

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void send_output_to(int fd) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, fd, STDERR_FILENO);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The environment without what would have the program speak another language, or start as a rank of our job.
std::vector<std::string> calm_environment() {
  std::vector<std::string> variables{"LC_ALL=C"};
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const bool is_of_launcher = text.starts_with("OMPI_") || text.starts_with("PMIX_") || text.starts_with("PMI_");
    if (!is_of_launcher && !text.starts_with("LC_ALL=")) variables.emplace_back(text);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

int left_ms(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(left);
}

// Until the program closes its output. False when time ran out.
bool read_all(int fd, Clock::time_point end, Reading& reading) {
  char block[4096];
  while (true) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, left_ms(end));
    if (ready == 0) return false;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t count = read(fd, block, sizeof block);
    if (count <= 0) return true;
    const std::size_t room = Root::kMostBytes - reading.text.size();
    reading.is_cut = reading.is_cut || static_cast<std::size_t>(count) > room;
    reading.text.append(block, std::min(room, static_cast<std::size_t>(count)));
  }
}

// A program may close its output and live on.
int wait_for(pid_t child, Clock::time_point end) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (left_ms(end) == 0) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    usleep(1000);
  }
  return status;
}

}  // namespace

Reading run_program(std::string_view command_line, int timeout_ms) {
  std::vector<std::string> words;
  for (const std::string_view word : split(command_line, " ")) words.emplace_back(word);
  if (words.empty()) return {Access::missing, {}, false, "no command"};
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return {Access::unusable, {}, false, fmt::format("pipe2: {}", std::strerror(errno))};
  const base::FileDescriptor output(ends[0]);
  base::FileDescriptor input(ends[1]);
  SpawnActions actions;
  actions.send_output_to(input.get());
  auto variables = calm_environment();
  auto arguments = pointers_to(words);
  auto environment = pointers_to(variables);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, words[0].c_str(), actions.get(), nullptr, arguments.data(), environment.data());
  input = base::FileDescriptor();
  if (error != 0)
    return {error == ENOENT ? Access::missing : Access::unusable, {}, false, words[0] + ": " + std::strerror(error)};
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  Reading reading;
  const bool is_done = read_all(output.get(), end, reading);
  if (!is_done) kill(child, SIGKILL);
  const int status = wait_for(child, end);
  reading.access = Access::ok;
  if (is_done && WIFEXITED(status) && WEXITSTATUS(status) == 0) return reading;
  reading.access = Access::unusable;
  reading.trouble = !is_done ? fmt::format("no end after {} ms, killed", timeout_ms)
                    : WIFEXITED(status)
                        ? fmt::format("exit code {}: {}", WEXITSTATUS(status), quoted_text(reading.text))
                        : fmt::format("ended by signal {}: {}", WTERMSIG(status), quoted_text(reading.text));
  return reading;
}

}  // namespace halyard::facts
