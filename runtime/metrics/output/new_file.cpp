// See new_file.hpp.
#include "metrics/output/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "halyard/status.hpp"

namespace halyard::metrics {

NewFile::NewFile(std::string name) : name_(std::move(name)), beside_(fmt::format("{}.{}.tmp", name_, getpid())) {
  // Renaming would put a file in the place of /dev/null, or of a pipe that somebody reads.
  struct stat known {};
  if (::stat(name_.c_str(), &known) == 0 && !S_ISREG(known.st_mode))
    throw Error(StatusCode::invalid_argument,
                fmt::format("write {}: it is there and no regular file; give another name", name_));
  file_ = base::FileDescriptor(::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file_.get() < 0) refuse("open", errno);
}

NewFile::~NewFile() {
  if (!is_published_ && file_.get() >= 0) (void)std::remove(beside_.c_str());
}

void NewFile::write(std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file_.get(), contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse("write", errno);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

void NewFile::publish() {
  if (std::rename(beside_.c_str(), name_.c_str()) != 0) refuse("rename", errno);
  is_published_ = true;
}

void NewFile::refuse(const char* call, int error) const {
  throw Error(StatusCode::out_of_resources,
              fmt::format("write {}: {}: {}; is the folder there, may this user write in it, and is there room?", name_,
                          call, std::strerror(error)));
}

void replace_file(const std::string& name, std::string_view contents) {
  NewFile file(name);
  file.write(contents);
  file.publish();
}

}  // namespace halyard::metrics
