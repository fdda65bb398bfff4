// See segment.hpp.
#include "device/emulated/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>

#include "device/process_identity.hpp"
#include "halyard/status.hpp"

namespace halyard::device::emulated {

std::string name_prefix() { return fmt::format("halyard-emulated.{}.{}.", geteuid(), this_process().pid_space); }

namespace {

constexpr const char* kRoom = "enlarge /dev/shm (docker: --shm-size, Kubernetes: an emptyDir of medium Memory)";

[[noreturn]] void fail(StatusCode code, const std::string& tried, int error, const char* remedy) {
  throw Error(code, fmt::format("{}: {}; {}", tried, std::strerror(error), remedy));
}

std::uint64_t random_number() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

std::string new_name() {
  return fmt::format("/{}{}.{:016x}{:016x}", name_prefix(), getpid(), random_number(), random_number());
}

int open_unnamed() { return ::open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }

int open_named(const std::string& name) { return shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600); }

}  // namespace

Segment Segment::make(std::size_t bytes) {
  Segment segment;
  segment.bytes_ = bytes;
  segment.file_ = FileDescriptor(open_unnamed());
  if (segment.file_.get() < 0 && errno != EMFILE && errno != ENFILE) {  // a /dev/shm without O_TMPFILE
    std::string name = new_name();
    segment.file_ = FileDescriptor(open_named(name));
    if (segment.file_.get() >= 0) segment.name_ = SegmentName(std::move(name));
  }
  const std::string tried = fmt::format("allocate {} bytes of emulated GPU memory", bytes);
  if (segment.file_.get() < 0)
    fail(StatusCode::out_of_resources, tried, errno,
         "check that /dev/shm is writable and raise the limit on open files (ulimit -n)");
  if (const int error = posix_fallocate(segment.file_.get(), 0, static_cast<off_t>(bytes)); error != 0)
    fail(StatusCode::out_of_resources, tried, error, kRoom);
  return segment;
}

Segment Segment::open(const std::string& name, std::size_t bytes) {
  Segment segment;
  segment.bytes_ = bytes;
  const std::string tried = fmt::format("open emulated GPU memory {} of another process", name);
  segment.file_ = FileDescriptor(shm_open(name.c_str(), O_RDWR, 0));
  if (segment.file_.get() < 0)
    fail(StatusCode::not_supported, tried, errno,
         "its owner must not have freed it, and both need a common /dev/shm and IPC namespace");
  struct stat status {};
  if (fstat(segment.file_.get(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) != bytes)
    throw Error(StatusCode::not_supported, fmt::format("{}: it has not the size that was exported", tried));
  return segment;
}

void Segment::map_at(std::byte* where) const {
  if (mmap(where, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.get(), 0) == MAP_FAILED)
    fail(StatusCode::out_of_resources, fmt::format("map {} bytes of emulated GPU memory", bytes_), errno,
         "raise the limits on address space (ulimit -v) and mappings (vm.max_map_count)");
}

FileDescriptor Segment::duplicate() const {
  FileDescriptor file(file_.get() >= 0 ? fcntl(file_.get(), F_DUPFD_CLOEXEC, 0)
                                       : shm_open(name_.text().c_str(), O_RDWR, 0));
  if (file.get() < 0)
    fail(StatusCode::not_supported, "export emulated GPU memory as a file", errno,
         "raise the limit on open files (ulimit -n)");
  return file;
}

const std::string& Segment::publish() {
  if (!name_.text().empty()) return name_.text();
  const std::string name = new_name();
  const std::string unnamed = fmt::format("/proc/self/fd/{}", file_.get());
  if (linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, ("/dev/shm" + name).c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail(StatusCode::not_supported, fmt::format("export emulated GPU memory as {}", name), errno,
         "check that /proc is mounted and /dev/shm writable");
  name_ = SegmentName(name);
  file_ = FileDescriptor{};  // the mapping and the name are enough
  return name_.text();
}

}  // namespace halyard::device::emulated
