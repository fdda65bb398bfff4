// Stamp: what a kernel tells a trace of itself, once it is done: when it began, sent, received and ended. Written by
// the kernels of pack (and their host twins) into a ring in mapped host memory, read by the host whenever it comes by.
//
// Nothing orders a kernel's stores to host memory, and a fence for it would cost what is to be measured. So a stamp
// carries a seal that fits no other content and no other place: the host takes what is sealed and leaves what is not.
// Times are those of the GPU's clock (clock.hpp). Plain data, alike for host and device compilers.
#pragma once

#include <cstdint>
#include <optional>

namespace halyard::pack::device {

/// What a stamp tells of. The first three are the phases of tables.hpp.
enum class StampKind : std::uint32_t { start = 1, finish = 2, both = 3, range_begin = 4, range_end = 5 };

struct Stamp {
  std::uint64_t begin = 0;     // the kernel has begun; of a range: the stream has come there
  std::uint64_t may_send = 0;  // nothing is waited for any more before sending
  std::uint64_t sent = 0;      // everything has been packed and stored where it goes
  std::uint64_t arrived = 0;   // everything that is awaited is here
  std::uint64_t end = 0;       // the kernel's last block has come to its end
  std::uint64_t word = 0;      // word_of(number of the exchange, code)
  std::uint64_t what = 0;      // what_of(): the binding or range, and the kind
  std::uint64_t seal = 0;

  constexpr StampKind kind() const { return static_cast<StampKind>(what & 0xff); }
  constexpr std::uint32_t owner() const { return static_cast<std::uint32_t>(what >> 8); }
};
inline constexpr std::uint32_t kStampWords = sizeof(Stamp) / sizeof(std::uint64_t);
static_assert(sizeof(Stamp) == 64, "a line of memory");

constexpr std::uint64_t what_of(std::uint32_t owner, StampKind kind) {
  return std::uint64_t{owner} << 8 | static_cast<std::uint32_t>(kind);
}

/// Of all words but the seal (a polynomial modulo 2^64, its upper half folded into the lower one). Not 0 for zeroes:
/// memory that nobody has written holds no stamp.
constexpr std::uint64_t hash_of(const Stamp& stamp) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
  std::uint64_t hash = 0x243f6a8885a308d3;               // digits of pi
  for (const std::uint64_t word :
       {stamp.begin, stamp.may_send, stamp.sent, stamp.arrived, stamp.end, stamp.word, stamp.what})
    hash = (hash ^ word) * kFactor;
  return hash ^ hash >> 32;
}

/// The stamp as it stands in the ring: the `place`-th of all.
constexpr Stamp sealed(Stamp stamp, std::uint64_t place) {
  stamp.seal = hash_of(stamp) ^ place;
  return stamp;
}

inline constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 40;

/// Which place a stamp that stands in slot `slot` of a ring was sealed for; nothing when it is no whole stamp.
constexpr std::optional<std::uint64_t> place_of(const Stamp& stamp, std::uint64_t slot, std::uint64_t num_slots) {
  const std::uint64_t place = hash_of(stamp) ^ stamp.seal;
  if (place >= kMostPlaces || place % num_slots != slot) return std::nullopt;
  return place;
}

/// Where stamps go, as a kernel sees it.
struct StampLog {
  Stamp* ring = nullptr;          // mapped host memory; null: nobody takes times
  std::uint64_t* next = nullptr;  // GPU memory: how many stamps there were
  std::uint32_t num_slots = 0;    // a power of two
};

/// What the blocks of a binding's kernels have come to so far, in GPU memory: the latest of all of them. Those that
/// start and those that only finish may run beside each other.
struct Moments {
  std::uint64_t begin_start = 0;
  std::uint64_t may_send = 0;
  std::uint64_t sent = 0;
  std::uint64_t begin_finish = 0;
  std::uint64_t arrived = 0;
};

constexpr bool starts(StampKind kind) { return kind != StampKind::finish; }
constexpr bool finishes(StampKind kind) { return kind != StampKind::start; }

/// The stamp of a launch that ends at `end`. Who waited for nothing was free from the beginning; moments of launches
/// before lie before it, so that nobody needs to forget them.
constexpr Stamp stamp_of(const Moments& seen, std::uint32_t binding, StampKind kind, std::uint64_t word,
                         std::uint64_t end) {
  const auto later = [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; };
  Stamp stamp;
  stamp.begin = starts(kind) ? seen.begin_start : seen.begin_finish;
  if (starts(kind)) stamp.may_send = later(stamp.begin, seen.may_send);
  if (starts(kind)) stamp.sent = later(stamp.may_send, seen.sent);
  if (finishes(kind)) stamp.arrived = later(stamp.begin, seen.arrived);
  stamp.end = end;
  stamp.word = word;
  stamp.what = what_of(binding, kind);
  return stamp;
}

}  // namespace halyard::pack::device
