// See stream_waits.hpp.
#include "exchange/gpu/waits/stream_waits.hpp"

#include <atomic>

#include "base/log.hpp"
#include "pack/device/tables.hpp"

namespace halyard::exchange::gpu {
namespace {

std::uint64_t load(std::uint64_t* word) {
  return std::atomic_ref<std::uint64_t>(*word).load(std::memory_order_relaxed);
}

}  // namespace

StreamWaits::StreamWaits(std::shared_ptr<device::Device> device, int ordinal, std::vector<std::uint64_t*> words,
                         double deadline_s)
    : device_(std::move(device)),
      ordinal_(ordinal),
      words_(std::move(words)),
      deadline_s_(deadline_s),
      mapped_(mapped_buffer(device_, 2 * sizeof(std::uint64_t))),
      life_(device_->life(ordinal)) {}

Status StreamWaits::begin(Stream stream, std::uint64_t number) {  // data path
  Status status = device_->store_word(stream, begun(), number, ordinal_);
  const std::uint64_t least = pack::device::word_of(number, 0);
  if (status.ok()) status = device_->wait_for_words(stream, words_, least, ordinal_);
  return status;
}

Status StreamWaits::end(Stream stream, std::uint64_t number) {  // data path
  return device_->store_word(stream, ended(), number, ordinal_);
}

bool StreamWaits::advance() {
  const std::uint64_t number = load(begun());
  if (has_let_go_ || deadline_s_ <= 0 || number == load(ended())) return false;
  const auto now = Clock::now();
  if (number != seen_begun_) {
    seen_begun_ = number;
    since_ = now;
  }
  if (std::chrono::duration<double>(now - since_).count() > deadline_s_) let_go();
  return false;
}

void StreamWaits::let_go() {
  has_let_go_ = true;
  if (device_->life(ordinal_) != life_) return;  // a reset has ended the stream
  try {
    for (std::uint64_t* word : words_)
      device_->copy(word, &pack::device::kSentGaveUp, sizeof(pack::device::kSentGaveUp));
  } catch (const Error& error) {  // the driver is gone, and the stream with it
    base::log_info(error.what());
  }
}

}  // namespace halyard::exchange::gpu
