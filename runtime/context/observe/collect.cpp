// See collect.hpp. Rank 0 calls, the others answer: a call is one word; what it wants is a clock, or the bytes.
#include "context/observe/collect.hpp"

#include <chrono>
#include <limits>

#include "transport/blob.hpp"

namespace halyard::context {
namespace {

using transport::Blob;
using transport::BlobReader;

constexpr double kAnswerSeconds = 2.0;    // for who has come: a call is answered at once
constexpr double kSecondsPerRank = 0.05;  // that rank 0 may take with each rank before this one
constexpr int kRounds = 16;               // the fastest of them tells the clocks apart

enum class Call : std::uint64_t { clock, bytes };

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <class T>
Blob blob_of(const T& value) {
  Blob blob;
  transport::append(blob, value);
  return blob;
}

/// The answer of the round that took the least time, at whose middle it was given.
bool read_clock(Talk& talk, int rank, ClockReading& reading) {
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t begin = steady_ns();
    if (!talk.send(rank, blob_of(Call::clock), kAnswerSeconds)) return false;
    const auto answer = talk.receive(rank, kAnswerSeconds);
    const std::int64_t end = steady_ns();
    if (!answer) return false;
    if (end - begin >= fastest_ns) continue;
    fastest_ns = end - begin;
    reading.at_ns = BlobReader(*answer).read<std::int64_t>();
    reading.offset_ns = begin + (end - begin) / 2 - reading.at_ns;
  }
  return true;
}

/// Answers rank 0's calls until it has said `mine`, or, after `patience` seconds without a call, gives up.
void answer(Talk& talk, const Blob& mine, double patience) {
  for (;;) {
    const auto call = talk.receive(0, patience);
    if (!call) return;
    const bool wants_bytes = BlobReader(*call).read<Call>() == Call::bytes;
    if (!talk.send(0, wants_bytes ? mine : blob_of(steady_ns()), patience) || wants_bytes) return;
  }
}

bool hear(Talk& talk, int rank, const std::function<void(const Said&)>& heard) {
  Said said;
  said.rank = rank;
  if (!read_clock(talk, rank, said.clock) || !talk.send(rank, blob_of(Call::bytes), kAnswerSeconds)) return false;
  auto bytes = talk.receive(rank, kAnswerSeconds);
  if (!bytes) return false;
  said.bytes = std::move(*bytes);
  heard(said);
  return true;
}

// Ranks say that they have come, so that rank 0 waits for all of them at once.
std::vector<bool> who_came(Talk& talk, double seconds) {
  std::vector<bool> came(static_cast<std::size_t>(talk.size()), false);
  const std::int64_t end = steady_ns() + static_cast<std::int64_t>(seconds * 1e9);
  for (int rank = 1; rank < talk.size(); ++rank) {
    const double left = static_cast<double>(end - steady_ns()) * 1e-9;
    came[static_cast<std::size_t>(rank)] = talk.receive(rank, left > 0.01 ? left : 0.01).has_value();
  }
  return came;
}

}  // namespace

std::vector<ClockReading> read_clocks(Talk& talk) {
  const double patience = kAnswerSeconds + kSecondsPerRank * talk.rank();
  std::vector<ClockReading> readings(static_cast<std::size_t>(talk.size()));
  if (talk.rank() != 0) {
    answer(talk, {}, patience);
    return readings;
  }
  readings[0].at_ns = steady_ns();
  for (int rank = 1; rank < talk.size(); ++rank) {
    ClockReading& reading = readings[static_cast<std::size_t>(rank)];
    const bool is_read = read_clock(talk, rank, reading) && talk.send(rank, blob_of(Call::bytes), kAnswerSeconds) &&
                         talk.receive(rank, kAnswerSeconds).has_value();
    if (!is_read) reading = {};
  }
  return readings;
}

std::vector<int> collect(Talk& talk, const Blob& mine, double seconds, const std::function<void(const Said&)>& heard) {
  if (talk.rank() != 0) {
    const double patience = 2 * seconds + kSecondsPerRank * talk.rank();
    if (talk.send(0, {}, patience)) answer(talk, mine, patience);
    return {};
  }
  const std::vector<bool> came = who_came(talk, seconds);
  heard({0, {steady_ns(), 0}, mine});
  std::vector<int> missing;
  for (int rank = 1; rank < talk.size(); ++rank)
    if (!came[static_cast<std::size_t>(rank)] || !hear(talk, rank, heard)) missing.push_back(rank);
  return missing;
}

}  // namespace halyard::context
