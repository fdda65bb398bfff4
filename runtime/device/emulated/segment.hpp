// Segment: the pages of one emulated allocation, which other processes can map as they map GPU memory through an IPC
// handle: they keep the pages alive, also after the owner has freed them.
//
// A segment has no name until it is exported, so that a crash leaves nothing behind; from then on it has one in
// /dev/shm, 0600, with a random part that stands for the secret in a driver's handle. Names whose process is gone are
// removed by the next process that makes an emulated device (sweep_names). Set-up only; not thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "device/emulated/handles.hpp"

namespace halyard::device::emulated {

class Segment {
 public:
  /// Zeroed pages, taken from the system at once, so that a full /dev/shm is an error here and not a SIGBUS later.
  /// Throws Error(out_of_resources).
  static Segment make(std::size_t bytes);
  /// A peer's, by the name that publish() gave there. Throws Error(not_supported).
  static Segment open(const std::string& name, std::size_t bytes);

  /// Maps the pages over `where`, readable and writable. Throws Error(out_of_resources).
  void map_at(std::byte* where) const;
  /// The pages as a file that keeps them alive. Throws Error(not_supported).
  FileDescriptor duplicate() const;
  /// Gives the segment a name, once. Throws Error(not_supported).
  const std::string& publish();

 private:
  FileDescriptor file_;
  SegmentName name_;
  std::size_t bytes_ = 0;
};

/// What all names of this user and PID namespace begin with; the owner's pid follows.
std::string name_prefix();

/// Removes names that crashed processes of this user and PID namespace left.
void sweep_names();

}  // namespace halyard::device::emulated
