// See file_exporter.hpp.
#include "metrics/output/file_exporter.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"
#include "metrics/output/new_file.hpp"

namespace halyard::metrics {

FileExporter::FileExporter(std::string name, std::function<std::string()> contents, std::chrono::milliseconds period)
    : name_(std::move(name)), contents_(std::move(contents)), period_(period), thread_([this] { run(); }) {}

FileExporter::~FileExporter() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  has_ended_.notify_one();
  thread_.join();
}

void FileExporter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    const bool is_last = is_over_;
    lock.unlock();
    const bool is_written = write();
    lock.lock();
    if (is_last || !is_written) return;
    has_ended_.wait_for(lock, period_, [this] { return is_over_; });
  }
}

bool FileExporter::write() {
  try {
    replace_file(name_, contents_());
    return true;
  } catch (const std::exception& error) {
    base::log_error(std::string("metrics are no longer written to a file: ") + error.what());
    return false;
  }
}

}  // namespace halyard::metrics
