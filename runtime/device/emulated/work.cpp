// The streams of an EmulatedDevice, see device.hpp.
#include <fmt/format.h>

#include <cstring>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "device/emulated/device.hpp"
#include "halyard/status.hpp"

namespace halyard::device::emulated {

Stream EmulatedGpus::create_stream(int ordinal) {
  gpu_of(ordinal);
  return streams_.create(ordinal);
}

Status EmulatedGpus::check_stream(Stream stream, int ordinal) const {
  const auto queue = streams_.find(stream);
  if (!queue) return no_such_stream(stream);
  if (queue->ordinal() < 0 || queue->ordinal() == ordinal) return {};
  return {StatusCode::invalid_argument,
          fmt::format("use stream {} on GPU {}: it belongs to GPU {}; pass a stream of the GPU on which the fields lie",
                      fmt::ptr(stream.native), ordinal, queue->ordinal())};
}

/// A graph of this twin is what one stream recorded, so that streams in capture are not ordered.
Status EmulatedGpus::order(Stream before, Stream after, int) {
  const auto first = streams_.find(before);
  const auto then = streams_.find(after);
  if (!first || !then) return no_such_stream(first ? after : before);
  if (first == then || first->is_capturing() || then->is_capturing()) return {};
  const auto has_come = std::make_shared<std::promise<void>>();
  first->enqueue([has_come] { has_come->set_value(); });
  then->enqueue([has_come, come = has_come->get_future().share()] { come.wait(); });
  return {};
}

Status EmulatedGpus::wait_for_words(Stream stream, std::span<std::uint64_t* const> words, std::uint64_t least, int) {
  const auto queue = streams_.find(stream);
  if (!queue) return no_such_stream(stream);
  for (std::uint64_t* word : words)
    queue->enqueue([this, word, least] {
      const auto at = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(host_view(word)));
      while (static_cast<std::int64_t>(at.load(std::memory_order_acquire) - least) < 0) std::this_thread::yield();
    });
  return {};
}

/// Stricter than CUDA, which would copy pageable memory too, in the caller's time.
Status EmulatedGpus::copy_in(Stream stream, void* target, const void* source, std::size_t bytes, int ordinal) {
  const auto queue = streams_.find(stream);
  if (!queue) return no_such_stream(stream);
  for (const void* end : {static_cast<const void*>(target), source}) {
    const auto block = heap_.find(end);
    if (!block || static_cast<const std::byte*>(end) + bytes > block->address + block->bytes)
      return {StatusCode::invalid_argument,
              fmt::format("copy {} bytes at {} in a stream of GPU {}: it is neither GPU memory nor pinned", bytes,
                          fmt::ptr(end), ordinal)};
  }
  if (const auto failure = script_.failure_of(DriverCall::copy_in))
    return {StatusCode::transport_failed, fmt::format("copy {} bytes in stream {}: {}; see the driver's log", bytes,
                                                      fmt::ptr(stream.native), *failure)};
  ++counters_->stream_copies;
  queue->enqueue([this, target, source, bytes] { std::memcpy(host_view(target), host_view(source), bytes); });
  return {};
}

Status EmulatedGpus::store_word(Stream stream, std::uint64_t* word, std::uint64_t value, int) {
  const auto queue = streams_.find(stream);
  if (!queue) return no_such_stream(stream);
  queue->enqueue([this, word, value] {
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(host_view(word))).store(value, std::memory_order_release);
  });
  return {};
}

bool EmulatedGpus::is_capturing(Stream stream) const {
  const auto queue = streams_.find(stream);
  return queue && queue->is_capturing();
}

Status EmulatedGpus::synchronize(Stream stream, int) {
  const auto queue = streams_.find(stream);
  if (!queue) return no_such_stream(stream);
  ++counters_->synchronizes;
  return queue->synchronize();
}

bool EmulatedGpus::is_idle(Stream stream, int) {
  const auto queue = streams_.find(stream);
  return !queue || queue->is_idle();
}

Status EmulatedGpus::enqueue(Stream stream, std::function<void()> work) {
  const auto queue = streams_.find(stream);
  if (!queue) return no_such_stream(stream);
  if (const auto failure = script_.failure_of(DriverCall::launch))
    return {StatusCode::transport_failed,
            fmt::format("launch work on stream {}: {}; see the driver's log", fmt::ptr(stream.native), *failure)};
  ++counters_->launches;
  queue->enqueue(std::move(work));
  return {};
}

void EmulatedGpus::set_delay(Stream stream, std::chrono::microseconds delay) {
  streams_.demand(stream)->set_delay(delay);
}

void EmulatedGpus::begin_capture(Stream stream) {
  if (Streams::is_default(stream))
    throw Error(StatusCode::invalid_argument,
                "begin a capture: the default stream cannot be captured; use one from create_stream");
  streams_.demand(stream)->begin_capture();
}

std::shared_ptr<void> EmulatedGpus::end_capture(Stream stream) { return streams_.demand(stream)->end_capture(); }

void EmulatedGpus::replay(const std::shared_ptr<void>& graph, Stream stream) {
  streams_.demand(stream);  // an unknown stream is an error also for an empty graph
  const auto work = std::static_pointer_cast<StreamQueue::Graph>(graph);
  for (const auto& piece : *work) enqueue(stream, piece).or_throw();
}

}  // namespace halyard::device::emulated
