// POSIX files; short writes are continued, and close() is where a full disk or a lost server is
// reported last.
#include "common/staged_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace halyard::app {
namespace {

[[noreturn]] void fail(const std::string& tried, const std::string& path, const std::string& remedy) {
  throw std::runtime_error(tried + " " + path + ": " + std::generic_category().message(errno) + "; " + remedy);
}

bool is_folder(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace

StagedFile StagedFile::create(const std::string& path) {
  if (is_folder(path)) throw std::runtime_error("write " + path + ": it is a folder; give the name of a file");
  StagedFile file(path, true);
  file.fd_ = open(file.part().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.fd_ < 0) {
    file.is_mine_ = false;
    fail("write", path, "name a folder that exists and may be written");
  }
  return file;
}

StagedFile StagedFile::join(const std::string& path) {
  StagedFile file(path, false);
  file.fd_ = open(file.part().c_str(), O_WRONLY | O_CLOEXEC);
  if (file.fd_ < 0) fail("write", path, "name a folder that all ranks see");
  return file;
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)),
      is_mine_(std::exchange(other.is_mine_, false)),
      fd_(std::exchange(other.fd_, -1)),
      end_(other.end_) {}

StagedFile& StagedFile::operator=(StagedFile&& other) noexcept {
  if (this == &other) return *this;
  drop();
  path_ = std::move(other.path_);
  is_mine_ = std::exchange(other.is_mine_, false);
  fd_ = std::exchange(other.fd_, -1);
  end_ = other.end_;
  return *this;
}

StagedFile::~StagedFile() { drop(); }

void StagedFile::drop() noexcept {
  if (fd_ >= 0) ::close(fd_);
  if (is_mine_) unlink(part().c_str());
  fd_ = -1;
  is_mine_ = false;
}

void StagedFile::write(std::string_view bytes) {
  write_at(end_, std::as_bytes(std::span(bytes)));
  end_ += static_cast<std::int64_t>(bytes.size());
}

void StagedFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path_, "nothing was left behind; make room and run again");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
}

void StagedFile::close() {
  if (fd_ < 0) return;
  const bool is_flushed = fsync(fd_) == 0 || errno == EINVAL || errno == EROFS;  // pipes and devices cannot
  const int flush_error = errno;
  const bool is_closed = ::close(std::exchange(fd_, -1)) == 0;
  if (is_flushed && is_closed) return;
  if (!is_flushed) errno = flush_error;
  fail("write", path_, "nothing was left behind; make room and run again");
}

void StagedFile::commit() {
  close();
  if (!is_mine_) return;
  if (rename(part().c_str(), path_.c_str()) != 0) fail("rename to", path_, "check who owns it");
  is_mine_ = false;
}

}  // namespace halyard::app
