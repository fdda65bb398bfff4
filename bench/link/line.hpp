// Line: one way in which two ranks send each other messages of one size. What the link bench measures.
//
// Made for one size (collective, may throw, the same on both ranks) and destroyed after it. measure.cpp drives it and
// does not know which one it has. The base class is the traffic; a line only knows how to send one message and to take
// one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halyard::bench {

/// In the order of the table. The first four are Halyard's paths, each one driven as transport::Channel.
inline constexpr std::array<std::string_view, 5> kLineNames{"verbs", "ucx", "shared", "mpi-channel", "mpi"};

class Line {
 public:
  Line(int rank, std::int64_t bytes) : rank_(rank), bytes_(bytes) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  /// There and back `count` times. Data path.
  void ping(int count);
  /// `count` messages from rank 0 to rank 1, as fast as they go, then one back. Data path.
  virtual void stream(int count);
  /// Words that are wrong on this rank after three coded messages each way.
  std::int64_t num_wrong();

  /// Drives what is under way; for a rank that waits for something else.
  virtual void progress() {}

  /// How the bytes travel, for the table: "write over rxe0:1".
  virtual std::string path() const = 0;

 protected:
  /// Sends one message from the buffer that writable() named.
  virtual void send() = 0;
  /// Waits until the next message may be written, and says where.
  virtual std::span<std::byte> writable() = 0;
  /// Waits for the next message. It is valid until taken().
  virtual std::span<const std::byte> receive() = 0;
  virtual void taken() = 0;

  int rank() const { return rank_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void send_one();
  void take_one();
  void send_coded();

  int rank_;
  std::int64_t bytes_;
  std::uint64_t epoch_ = 0;
};

}  // namespace halyard::bench
