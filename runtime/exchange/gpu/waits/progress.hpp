// Progress: the thread that moves staged messages, so that a stream-ordered exchange needs nobody who waits. One per
// context; it runs only while there are links to drive. Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace halyard::exchange::gpu {

/// Something that moves a little when it is asked to. Never throws, never blocks.
class Driven {
 public:
  virtual ~Driven() = default;
  /// True when something moved.
  virtual bool advance() = 0;
};

class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// From now on `driven` is advanced by the thread, until remove().
  void add(Driven& driven);
  /// Returns once the thread no longer touches `driven`.
  void remove(Driven& driven);

 private:
  void run();
  bool advance_all();

  std::mutex mutex_;
  std::vector<Driven*> driven_;
  std::thread thread_;
  std::atomic<bool> stops_{false};
};

}  // namespace halyard::exchange::gpu
