// See segment.hpp.
#include "transport/shared/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "halyard/status.hpp"
#include "memory/events/unmap_events.hpp"

namespace halyard::transport::shared {
namespace {

std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::uint64_t pid_space() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

[[noreturn]] void fail(StatusCode code, const std::string& tried, int error, const char* remedy) {
  throw Error(code, fmt::format("{}: {}; {}", tried, std::strerror(error), remedy));
}

constexpr const char* kRoom =
    "enlarge /dev/shm (docker: --shm-size, Kubernetes: an emptyDir of medium Memory) or set HALYARD_PATH=^shared; "
    "'halyard doctor --check shm' shows how large it is";

Mapping map(const FileDescriptor& file, std::size_t bytes, const std::string& name) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
  if (base == MAP_FAILED)
    fail(StatusCode::out_of_resources, fmt::format("map {} bytes of segment {}", bytes, name), errno,
         "raise the limit on address space (ulimit -v) or lower HALYARD_ARENA");
  madvise(base, bytes, MADV_HUGEPAGE);  // a wish: granted where shmem_enabled is advise or more
  return {static_cast<std::byte*>(base), bytes};
}

}  // namespace

Segment Segment::make(std::size_t bytes) {
  Segment segment;
  const std::string name = fmt::format("/halyard.{}.{}.{:016x}", geteuid(), getpid(), random_number());
  segment.file_ = FileDescriptor(shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600));
  if (segment.file_.get() < 0)
    fail(StatusCode::out_of_resources, fmt::format("make shared segment {}", name), errno,
         "check that /dev/shm is writable, or run 'halyard doctor --check shm'");
  segment.name_ = SegmentName(name);
  if (ftruncate(segment.file_.get(), static_cast<off_t>(bytes)) != 0)
    fail(StatusCode::out_of_resources, fmt::format("size segment {} to {} bytes", name, bytes), errno, kRoom);
  segment.commit(0, kHeaderBytes);
  segment.mapping_ = map(segment.file_, bytes, name);
  SegmentAddress& address = segment.address_;
  std::strncpy(address.name, name.c_str(), sizeof(address.name) - 1);
  address.bytes = bytes;
  address.nonce = random_number();
  address.pid = getpid();
  address.pid_space = pid_space();
  std::memcpy(segment.base(), &address.nonce, sizeof(address.nonce));
  return segment;
}

Segment Segment::open(const SegmentAddress& address) {
  Segment segment;
  segment.address_ = address;
  const std::string tried = fmt::format("open segment {}", address.name);
  segment.file_ = FileDescriptor(shm_open(address.name, O_RDWR, 0));
  if (segment.file_.get() < 0)
    fail(StatusCode::not_supported, tried, errno,
         "ranks in different containers need a common /dev/shm and IPC namespace; run 'halyard doctor --check "
         "namespaces'");
  struct stat status {};
  if (fstat(segment.file_.get(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) != address.bytes)
    throw Error(StatusCode::not_supported, fmt::format("{}: another segment bears that name", tried));
  segment.mapping_ = map(segment.file_, address.bytes, address.name);
  std::uint64_t nonce = 0;
  std::memcpy(&nonce, segment.base(), sizeof(nonce));
  if (nonce != address.nonce)
    throw Error(StatusCode::not_supported, fmt::format("{}: another segment bears that name", tried));
  segment.file_ = FileDescriptor{};  // the mapping is enough
  return segment;
}

void Segment::commit(std::size_t offset, std::size_t bytes) const {
  const int error = posix_fallocate(file_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (error != 0)
    fail(StatusCode::out_of_resources, fmt::format("take {} bytes of shared memory", bytes), error, kRoom);
}

void Segment::decommit(std::size_t offset, std::size_t bytes) const {
  // Failing costs memory, not correctness: the pages stay until the process ends.
  (void)fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes));
  // The kernel tells nobody of a hole in a file, and other pages will fill it.
  memory::note_unmapped(mapping_.base() + offset, bytes);
}

}  // namespace halyard::transport::shared
