// See copies.hpp.
#include "exchange/gpu/staged/copies.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/log.hpp"
#include "pack/device/compile.hpp"

namespace halyard::exchange::gpu {
namespace {

using pack::device::kWordStride;

Status gone() { return {StatusCode::transport_failed, "copy a staged message: the GPU was reset (cudaDeviceReset)"}; }

std::byte* slot_of(std::byte* slots, std::uint64_t slot_bytes, std::uint64_t number) {
  return slots + number % 2 * slot_bytes;
}

}  // namespace

CopyStreams::CopyStreams(std::shared_ptr<device::Device> device, int ordinal)
    : device_(std::move(device)), ordinal_(ordinal), out_(device_->create_stream(ordinal)) {
  try {
    in_ = device_->create_stream(ordinal);
  } catch (...) {
    device_->destroy_stream(out_);
    throw;
  }
  life_ = device_->life(ordinal);
}

CopyStreams::~CopyStreams() {
  if (are_gone()) return;
  finish();
  device_->destroy_stream(out_);
  device_->destroy_stream(in_);
}

void CopyStreams::finish() const {
  if (are_gone()) return;
  for (const Stream stream : {out_, in_})
    if (const Status status = device_->synchronize(stream, ordinal_); !status.ok()) base::log_info(status.text());
}

StagedCopies::~StagedCopies() {
  if (!pins_.empty()) streams_->finish();
}

std::string StagedCopies::pin(const std::vector<std::span<std::byte>>& buffers) {
  if (buffers.empty()) return "the path keeps its buffers to itself";
  try {
    for (const auto& buffer : buffers)
      if (!buffer.empty()) pins_.push_back(streams_->device().pin(buffer.data(), buffer.size()));
  } catch (const Error& error) {
    pins_.clear();
    return error.what();
  }
  pinned_ = buffers;
  return {};
}

bool StagedCopies::is_pinned(const std::byte* buffer) const {  // data path
  return std::any_of(pinned_.begin(), pinned_.end(), [&](const std::span<std::byte>& memory) {
    return buffer >= memory.data() && buffer < memory.data() + memory.size();
  });
}

std::uint64_t* StagedCopies::word(std::uint32_t index) const { return gpu_.words + index * kWordStride; }

std::uint64_t StagedCopies::done(Done way) const {  // data path
  return std::atomic_ref<std::uint64_t>(stop_over_.done[way * kWordStride]).load(std::memory_order_acquire);
}

Status StagedCopies::copy(Stream stream, std::byte* target, const std::byte* source,
                          std::int64_t bytes) {  // data path
  if (bytes == 0) return {};
  if (streams_->are_gone()) return gone();
  num_copies_.fetch_add(1, std::memory_order_relaxed);
  return streams_->device().copy_in(stream, target, source, static_cast<std::size_t>(bytes), streams_->ordinal());
}

Status StagedCopies::store(Stream stream, std::uint64_t* word, std::uint64_t value) const {  // data path
  if (streams_->are_gone()) return gone();
  return streams_->device().store_word(stream, word, value, streams_->ordinal());
}

Status StagedCopies::begin_out(std::uint64_t number, std::uint64_t credit, std::int64_t bytes,
                               std::byte* buffer) {  // data path
  const Stream stream = streams_->out();
  const std::byte* from = slot_of(gpu_.sent, gpu_.slot_bytes, number);
  std::byte* to = is_pinned(buffer) ? buffer : slot_of(stop_over_.out, stop_over_.slot_bytes, number);
  Status status = store(stream, word(pack::device::kConsumed), credit);
  if (status.ok()) status = copy(stream, to, from, bytes);
  return status.ok() ? store(stream, stop_over_.done + kOut * kWordStride, number) : status;
}

bool StagedCopies::is_out(std::uint64_t number, std::int64_t bytes, std::byte* buffer) {  // data path
  if (done(kOut) < number) return false;
  if (bytes > 0 && !is_pinned(buffer))
    std::memcpy(buffer, slot_of(stop_over_.out, stop_over_.slot_bytes, number), static_cast<std::size_t>(bytes));
  return true;
}

Status StagedCopies::begin_in(std::uint64_t number, std::uint64_t arrived, std::int64_t bytes,
                              const std::byte* buffer) {  // data path
  const Stream stream = streams_->in();
  if (bytes > 0 && !is_pinned(buffer)) {
    std::byte* on_the_way = slot_of(stop_over_.in, stop_over_.slot_bytes, number);
    std::memcpy(on_the_way, buffer, static_cast<std::size_t>(bytes));
    buffer = on_the_way;
  }
  Status status = copy(stream, slot_of(gpu_.landing, gpu_.slot_bytes, number), buffer, bytes);
  for (const std::uint32_t index : {pack::device::kFirstArrived, pack::device::kSent})
    if (status.ok()) status = store(stream, word(index), arrived);
  return status.ok() ? store(stream, stop_over_.done + kIn * kWordStride, number) : status;
}

bool StagedCopies::is_in(std::uint64_t number) const { return done(kIn) >= number; }  // data path

// In both streams: a credit that waits in one of them must not take the word back.
void StagedCopies::give_up() {
  (void)store(streams_->out(), word(pack::device::kConsumed), pack::device::kGaveUp);
  (void)store(streams_->in(), word(pack::device::kConsumed), pack::device::kGaveUp);
  (void)store(streams_->in(), word(pack::device::kSent), pack::device::kSentGaveUp);
}

}  // namespace halyard::exchange::gpu
