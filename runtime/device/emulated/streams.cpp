// See streams.hpp.
#include "device/emulated/streams.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <utility>

namespace halyard::device::emulated {

bool Streams::is_default(Stream stream) { return reinterpret_cast<std::uintptr_t>(stream.native) <= 2; }

Stream Streams::create(int ordinal) {
  auto queue = std::make_shared<StreamQueue>(ordinal);
  const Stream stream(queue.get());
  const std::lock_guard lock(mutex_);
  queues_.emplace(stream.native, std::move(queue));
  return stream;
}

void Streams::destroy(Stream stream) {
  const std::lock_guard lock(mutex_);
  std::erase_if(destroyed_, [](const auto& queue) { return queue->is_idle(); });
  const auto found = queues_.find(stream.native);
  if (found == queues_.end()) return;
  destroyed_.push_back(std::move(found->second));
  queues_.erase(found);
}

void Streams::finish() {
  while (const auto queue = busy_one()) queue->drain();
}

std::shared_ptr<StreamQueue> Streams::busy_one() const {
  const std::shared_lock lock(mutex_);
  if (!default_->is_idle()) return default_;
  for (const auto& queue : destroyed_)
    if (!queue->is_idle()) return queue;
  for (const auto& [handle, queue] : queues_)
    if (!queue->is_idle()) return queue;
  return nullptr;
}

std::shared_ptr<StreamQueue> Streams::find(Stream stream) const {
  if (is_default(stream)) return default_;
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(stream.native);
  return found == queues_.end() ? nullptr : found->second;
}

std::shared_ptr<StreamQueue> Streams::demand(Stream stream) const {
  auto queue = find(stream);
  if (!queue) throw Error(no_such_stream(stream));
  return queue;
}

Status no_such_stream(Stream stream) {
  return {
      StatusCode::invalid_argument,
      fmt::format("use stream {}: the emulated device has none like it; make it with create_stream and keep it until "
                  "the exchange is finished",
                  fmt::ptr(stream.native))};
}

}  // namespace halyard::device::emulated
