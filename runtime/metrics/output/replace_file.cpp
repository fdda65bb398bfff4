// See replace_file.hpp.
#include "metrics/output/replace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "halyard/status.hpp"

namespace halyard::metrics {
namespace {

[[noreturn]] void refuse(const std::string& name, const char* call, int error) {
  throw Error(StatusCode::out_of_resources,
              fmt::format("write {}: {}: {}; is the folder there, may this user write in it, and is there room?", name,
                          call, std::strerror(error)));
}

void write_all(int file, const std::string& name, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(name, "write", errno);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Renaming would put a file in the place of /dev/null, or of a pipe that somebody reads.
void check_kind(const std::string& name) {
  struct stat known {};
  if (::stat(name.c_str(), &known) == 0 && !S_ISREG(known.st_mode))
    throw Error(StatusCode::invalid_argument,
                fmt::format("write {}: it is there and no regular file; give another name", name));
}

}  // namespace

void replace_file(const std::string& name, std::string_view contents) {
  check_kind(name);
  // What an interrupted process leaves is taken over by the next one of this number.
  const std::string beside = fmt::format("{}.{}.tmp", name, getpid());
  try {
    const base::FileDescriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) refuse(name, "open", errno);
    write_all(file.get(), name, contents);
    if (std::rename(beside.c_str(), name.c_str()) != 0) refuse(name, "rename", errno);
  } catch (const Error&) {
    (void)std::remove(beside.c_str());
    throw;
  }
}

}  // namespace halyard::metrics
