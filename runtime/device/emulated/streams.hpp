// Streams: the streams of one EmulatedDevice, by the handle that users see. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "device/emulated/stream_queue.hpp"
#include "halyard/stream.hpp"

namespace halyard::device::emulated {

class Streams {
 public:
  /// nullptr and CUDA's names for the default streams (cudaStreamLegacy is 1, cudaStreamPerThread 2): here they are
  /// one.
  static bool is_default(Stream stream);

  Stream create(int ordinal);
  /// Returns at once; the work in the stream goes on to its end.
  void destroy(Stream stream);
  /// Waits until no stream, destroyed ones included, has work left.
  void finish();
  /// Null when there is no such stream.
  std::shared_ptr<StreamQueue> find(Stream stream) const;
  /// Throws Error(invalid_argument) when there is no such stream.
  std::shared_ptr<StreamQueue> demand(Stream stream) const;

 private:
  std::shared_ptr<StreamQueue> busy_one() const;

  mutable std::shared_mutex mutex_;
  std::map<void*, std::shared_ptr<StreamQueue>> queues_;
  std::vector<std::shared_ptr<StreamQueue>> destroyed_;  // until their work is done
  const std::shared_ptr<StreamQueue> default_ = std::make_shared<StreamQueue>(-1);
};

/// What is wrong when find() gives null.
Status no_such_stream(Stream stream);

}  // namespace halyard::device::emulated
