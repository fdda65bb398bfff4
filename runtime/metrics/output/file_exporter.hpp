// FileExporter: keeps a file up to date with what a function answers: now, every few seconds, and once more at its end.
//
// Owns one thread. A file that cannot be written costs one line in the log, and the thread goes on without it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace halyard::metrics {

class FileExporter {
 public:
  static constexpr std::chrono::seconds kPeriod{10};

  /// `contents` is called in the exporter's thread.
  FileExporter(std::string name, std::function<std::string()> contents, std::chrono::milliseconds period = kPeriod);
  FileExporter(const FileExporter&) = delete;
  FileExporter& operator=(const FileExporter&) = delete;
  /// Writes for the last time.
  ~FileExporter();

 private:
  void run();
  bool write();

  const std::string name_;
  const std::function<std::string()> contents_;
  const std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable has_ended_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace halyard::metrics
