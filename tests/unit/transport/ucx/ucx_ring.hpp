// UcxRing: what the tests of the UCX backend between real processes share.
//
// Ranks form a ring: a channel to the right and one to the left, so 2 ranks have two channels to one peer and 1 rank
// has two to itself. Payloads are coded by (sender, direction, message, word), so a wrong word names its origin.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "transport/ucx/factory.hpp"

namespace halyard::transport {

inline constexpr int kRight = 0;
inline constexpr int kLeft = 1;
inline constexpr std::chrono::seconds kPatience{60};

inline int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

inline int num_ranks() {
  int value = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

inline Blob swap(const Blob& own, int to, int from) {
  std::uint64_t bytes = own.size(), incoming_bytes = 0;
  MPI_Sendrecv(&bytes, 1, MPI_UINT64_T, to, 0, &incoming_bytes, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  Blob incoming(incoming_bytes);
  MPI_Sendrecv(own.data(), static_cast<int>(bytes), MPI_BYTE, to, 1, incoming.data(), static_cast<int>(incoming_bytes),
               MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return incoming;
}

inline std::uint64_t code(int sender, int direction, std::uint64_t message, std::uint64_t word) {
  return (static_cast<std::uint64_t>(sender) << 56) | (static_cast<std::uint64_t>(direction) << 52) | (message << 28) |
         word;
}

inline void fill(std::byte* data, std::int64_t bytes, int sender, int direction, std::uint64_t message) {
  for (std::int64_t at = 0; at < bytes; at += 8) {
    const std::uint64_t value = code(sender, direction, message, static_cast<std::uint64_t>(at / 8));
    std::memcpy(data + at, &value, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - at)));
  }
}

/// Number of words that are not what the sender wrote.
inline std::int64_t num_wrong(const std::byte* data, std::int64_t bytes, int sender, int direction,
                              std::uint64_t message) {
  std::int64_t wrong = 0;
  for (std::int64_t at = 0; at < bytes; at += 8) {
    const std::uint64_t value = code(sender, direction, message, static_cast<std::uint64_t>(at / 8));
    if (std::memcmp(data + at, &value, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - at))) != 0) ++wrong;
  }
  return wrong;
}

/// One end of a connection with its counts.
struct End {
  std::unique_ptr<Channel> channel;
  int peer = 0;
  int direction = 0;  // of what it sends
  std::uint64_t num_sent = 0;
  std::uint64_t num_received = 0;

  bool send(std::int64_t bytes) {
    if (!channel->may_post()) return false;
    ++num_sent;
    std::byte* buffer = channel->send_buffer();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 64, 0U);
    fill(buffer, bytes, rank(), direction, num_sent);
    channel->post(bytes, num_sent * 10 + static_cast<std::uint64_t>(direction));
    return true;
  }

  bool receive(std::int64_t bytes) {
    const auto message = channel->receive();
    if (!message) return false;
    ++num_received;
    EXPECT_EQ(message->tag, num_received * 10 + static_cast<std::uint64_t>(1 - direction));
    EXPECT_EQ(num_wrong(message->data, bytes, peer, 1 - direction, num_received), 0) << "message " << num_received;
    channel->release();
    return true;
  }
};

class UcxRing : public testing::Test {
 protected:
  void SetUp() override {
    std::string refusal;
    worker_ = ucx::open_worker({}, refusal);
    if (!worker_) GTEST_SKIP() << refusal;
  }

  /// Collective.
  std::array<End, 2> open_ring(std::int64_t right_bytes, std::int64_t left_bytes) {
    const int right = (rank() + 1) % num_ranks();
    const int left = (rank() + num_ranks() - 1) % num_ranks();
    ++binding_;
    std::array<End, 2> ends;
    ends[kRight] = {worker_->open({right, binding_, right_bytes, left_bytes, false, false}), right, kRight};
    ends[kLeft] = {worker_->open({left, binding_, left_bytes, right_bytes, false, false}), left, kLeft};
    const Blob for_left = swap(ends[kRight].channel->address(), right, left);
    const Blob for_right = swap(ends[kLeft].channel->address(), left, right);
    ends[kLeft].channel->connect(for_left);
    ends[kRight].channel->connect(for_right);
    return ends;
  }

  /// Drives the worker until `is_done`; the test fails when it takes too long.
  template <class Condition>
  bool drive_until(Condition is_done) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!is_done()) {
      worker_->progress();
      std::this_thread::yield();  // there may be more ranks than cores
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "rank " << rank() << " waited in vain";
        return false;
      }
    }
    return true;
  }

  /// A barrier in which this rank keeps answering its peers.
  void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    drive_until([&] {
      int is_here = 0;
      MPI_Test(&request, &is_here, MPI_STATUS_IGNORE);
      return is_here != 0;
    });
  }

  static bool is_through(End& end, std::uint64_t count) {
    return end.num_received == count && end.channel->num_delivered() == count;
  }

  /// Each rank sends `count` messages both ways and receives as many; `every` slows the reader.
  void stream_both_ways(std::array<End, 2>& ends, std::int64_t bytes, std::uint64_t count, int every = 1) {
    std::uint64_t turn = 0;
    drive_until([&] {
      const bool may_read = ++turn % static_cast<std::uint64_t>(every) == 0;
      for (End& end : ends) {
        if (end.num_sent < count) end.send(bytes);
        if (may_read && end.num_received < count) end.receive(bytes);
      }
      return is_through(ends[kRight], count) && is_through(ends[kLeft], count);
    });
  }

  std::unique_ptr<Worker> worker_;
  std::uint64_t binding_ = 0;
};

}  // namespace halyard::transport
