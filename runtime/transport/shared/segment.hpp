// Segment: a range of shared memory, made by one process and mapped by the others of its node.
//
// Made 0600 under a name that says whose it is (halyard.<uid>.<pid>.<random>), opened by the peers through that name
// and unlinked as soon as they have: from then on the kernel frees it with the last process, whatever kills that. The
// file is as large as the arena may become, and sparse: pages are taken piece by piece, with fallocate, so that a full
// /dev/shm is an error and not a SIGBUS. Set-up only.
#pragma once

#include <cstdint>
#include <string>

#include "transport/shared/handles.hpp"

namespace halyard::transport::shared {

/// How a peer finds and recognizes a segment. Travels between ranks as it lies in memory.
struct SegmentAddress {
  char name[96] = {};
  std::uint64_t bytes = 0;
  std::uint64_t nonce = 0;  // also the first word of the segment: proves that the peer opened the right one
  std::int64_t pid = 0;
  std::uint64_t pid_space = 0;  // inode of the PID namespace: pids compare only within one
};

class Segment {
 public:
  static constexpr std::size_t kHeaderBytes = 4096;  // the nonce, alone on its page

  /// Makes one. Throws Error(out_of_resources).
  static Segment make(std::size_t bytes);
  /// Maps a peer's. Throws Error(not_supported) with what was tried and what came back.
  static Segment open(const SegmentAddress& address);

  const SegmentAddress& address() const { return address_; }
  std::byte* base() const { return mapping_.base(); }
  std::size_t bytes() const { return mapping_.bytes(); }

  /// After the peers have opened it.
  void unlink() { name_ = SegmentName{}; }
  /// Takes pages from the system. Throws Error(out_of_resources).
  void commit(std::size_t offset, std::size_t bytes) const;
  /// Gives pages back.
  void decommit(std::size_t offset, std::size_t bytes) const;

 private:
  SegmentAddress address_;
  SegmentName name_;
  FileDescriptor file_;
  Mapping mapping_;
};

}  // namespace halyard::transport::shared
