// The traffic of a line; see line.hpp.
#include "link/line.hpp"

#include <cstring>

namespace halyard::bench {
namespace {

constexpr int kCodedMessages = 3;  // more than any line has buffers in turn

// Differs in every word of every message of either rank.
std::uint64_t code(int sender, std::uint64_t epoch, std::size_t word) {
  return (static_cast<std::uint64_t>(sender + 1) << 60) ^ (epoch << 32) ^ (word + 1);
}

void fill(std::span<std::byte> message, int sender, std::uint64_t epoch) {
  for (std::size_t word = 0; word < message.size() / sizeof(std::uint64_t); ++word) {
    const std::uint64_t value = code(sender, epoch, word);
    std::memcpy(message.data() + word * sizeof value, &value, sizeof value);
  }
}

std::int64_t num_wrong_in(std::span<const std::byte> message, int sender, std::uint64_t epoch) {
  std::int64_t wrong = 0;
  for (std::size_t word = 0; word < message.size() / sizeof(std::uint64_t); ++word) {
    const std::uint64_t value = code(sender, epoch, word);
    wrong += std::memcmp(message.data() + word * sizeof value, &value, sizeof value) != 0 ? 1 : 0;
  }
  return wrong;
}

}  // namespace

// data path
void Line::send_one() {
  (void)writable();
  send();
}

// data path
void Line::take_one() {
  (void)receive();
  taken();
}

// data path
void Line::ping(int count) {
  for (int i = 0; i < count; ++i) {
    if (rank_ == 0) send_one();
    take_one();
    if (rank_ != 0) send_one();
  }
}

// data path
void Line::stream(int count) {
  for (int i = 0; i < count; ++i) {
    if (rank_ == 0)
      send_one();
    else
      take_one();
  }
  if (rank_ == 0)
    take_one();
  else
    send_one();
}

void Line::send_coded() {
  fill(writable(), rank_, epoch_);
  send();
}

// One rank sends first: MPI may wait for the receive.
std::int64_t Line::num_wrong() {
  std::int64_t wrong = 0;
  for (int i = 0; i < kCodedMessages; ++i) {
    ++epoch_;
    if (rank_ == 0) send_coded();
    wrong += num_wrong_in(receive(), 1 - rank_, epoch_);
    taken();
    if (rank_ != 0) send_coded();
  }
  return wrong;
}

}  // namespace halyard::bench
