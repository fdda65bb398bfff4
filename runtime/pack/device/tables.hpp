// Tables: one exchange in GPU memory, as a kernel reads it. Compiled at bind time (compile.hpp of this folder), run by
// run_cuda.cu and, on the emulated device, by its host twin run_host.cpp.
//
// Runs say which bytes go where; tiles cut runs into what one warp copies at a time; chunks are groups of tiles that
// one block takes as a whole, with the word to wait for before and the word to store after. The words are those of
// transport/protocol.md. All pointers are device addresses. Plain data, alike for host and device compilers.
#pragma once

#include <cstdint>

#include "halyard/exchange_kinds.hpp"
#include "halyard/field.hpp"
#include "pack/device/stamps/stamp.hpp"

namespace halyard::pack::device {

/// Division of numbers below 2^31 by a constant, as multiply and shift (Granlund and Montgomery 1994, section 4).
struct Divisor {
  std::uint32_t value = 1;
  std::uint32_t factor = 1;
  std::uint32_t shift = 0;

  static constexpr Divisor of(std::uint32_t value) {
    Divisor d{value, 0, 0};
    while ((std::uint64_t{1} << d.shift) < value) ++d.shift;
    d.factor =
        static_cast<std::uint32_t>((std::uint64_t{1} << 32) * ((std::uint64_t{1} << d.shift) - value) / value + 1);
    return d;
  }
  constexpr std::uint32_t divide(std::uint32_t n) const {
    const auto high = static_cast<std::uint32_t>(std::uint64_t{n} * factor >> 32);
    return (high + n) >> shift;
  }
};

inline constexpr std::uint32_t kMaxUnitsPerRun = 1U << 30;

/// Which cells a run's rows are.
enum class RunShape : std::uint8_t {
  linear,    // contiguous at both ends
  strided,   // rows on up to three axes
  listed,    // row r at source_offsets[r] and target_offsets[r] (null: strided on that side)
  summed,    // row r of the target takes rows first_source[r] .. first_source[r + 1] of source_offsets, in that order
  numbered,  // row r is element source_numbers[r] and target_numbers[r] (null: r); its units lie strides [1] apart
  chained,   // as summed: row r of source_offsets goes to target_numbers[r]; chain[r] says which rows go there too
};

/// Rows of one target in a chained run: the first of them has the number of the next + 1, or 0; the others the same
/// with the highest bit set, since the first one's reader adds them all.
inline constexpr std::uint32_t kNotFirst = 1U << 31;

/// Packets carry their own arrival: fifteen words of data and, last, the word of their exchange. The receiver polls
/// what it waits for, and no fence is needed: a packet is one line of memory, stored and loaded whole (docs/adr/0035).
/// In a run with packets the units are words, and the message's end is addressed by unit alone: unit u lies in packet u
/// / 15 from its address.
enum class Packets : std::uint8_t { none, sent, received };
inline constexpr std::uint32_t kPacketBytes = 128;
inline constexpr std::uint32_t kPacketWordBytes = 8;
inline constexpr std::uint32_t kPacketWords = 15;
inline constexpr std::uint32_t kPacketsPerTile = 4;  // a warp stores them at once

/// Units of 1 to 16 bytes, `row.value` of them in a row; rows on axes of counts[0], counts[1] and as many as it takes.
/// Enumerated in the order of the message at both ends.
struct Run {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint64_t source_slot = 0;  // added for odd message numbers: the second landing buffer
  std::uint64_t target_slot = 0;
  std::int64_t source_stride[3] = {0, 0, 0};
  std::int64_t target_stride[3] = {0, 0, 0};
  const std::int64_t* source_offsets = nullptr;
  const std::int64_t* target_offsets = nullptr;
  const std::int64_t* first_source = nullptr;
  const std::int32_t* source_numbers = nullptr;
  const std::int32_t* target_numbers = nullptr;
  const std::uint32_t* chain = nullptr;
  double shift[3] = {0, 0, 0};  // of a shifted run: added to unit c of each row; units are floats or doubles
  Divisor row;
  Divisor counts[2];
  std::uint32_t num_units = 0;
  std::uint32_t unit_bytes = 1;
  RunShape shape = RunShape::linear;
  Scalar scalar = Scalar::opaque;
  Packets packets = Packets::none;
  bool is_shifted = false;
};

inline constexpr std::uint32_t kWarp = 32;
inline constexpr std::uint32_t kUnitsPerLane = 4;  // loads in flight; measured, docs/adr/0044

/// Units [first, first + num) of a run: at most what one warp copies at a time, or one bulk copy within a row.
struct Tile {
  std::uint32_t run = 0;
  std::uint32_t first = 0;
  std::uint32_t num = 0;
  std::uint32_t unused = 0;
};

/// The words of one link that its peer writes, in this rank's memory.
enum Word : std::uint32_t { kConsumed = 0, kReady = 1, kSent = 2, kFirstArrived = 3 };

inline constexpr std::uint32_t kMostTilesPerPiece = 4;

struct Chunk {
  std::uint32_t first_tile = 0;
  std::uint32_t num_tiles = 0;
  std::uint64_t* words = nullptr;   // of the link; null on the link of a rank to itself: nothing to wait for
  std::uint64_t* signal = nullptr;  // the peer's arrived word; null: nobody to tell
  std::uint32_t wait = 0;           // index into words
  std::uint32_t lag = 0;            // wait until words[wait] >= number - lag
  std::uint32_t link = 0;           // for texts
  std::uint32_t num_waits = 1;      // consecutive words; 0: packets tell themselves
  std::uint32_t worker = 0;         // bulk: the chunks of a link share its tiles, taken in pieces as they get on
  std::uint32_t num_workers = 0;
  std::uint32_t tiles_per_piece = 1;  // at most kMostTilesPerPiece
  std::uint32_t is_acknowledged = 0;  // bulk: copies that are over are in the peer's memory (docs/adr/0044)
};

/// Why an exchange failed, written once by a kernel into mapped host memory.
enum class FailureKind : std::uint32_t { none, no_credit, not_ready, not_arrived, peer_gave_up, disagreement };
struct Failure {
  std::uint32_t kind = 0;
  std::uint32_t link = 0;
  std::uint64_t number = 0;
  std::uint64_t word = 0;  // what was seen last
};

/// Kept in GPU memory, so that a captured graph can be replayed.
struct Counters {
  std::uint64_t started = 0;      // exchanges
  std::uint64_t finished = 0;     // exchanges
  std::uint32_t done = 0;         // blocks of the running kernel that starts
  std::uint32_t done_finish = 0;  // and of one that only finishes
  std::uint32_t failed = 0;
  std::uint32_t unused = 0;
};

/// A word's value: the exchange's number, and below it what kind of exchange it is, so that ranks that start different
/// exchanges are found out. A rank that gives up stores kGaveUp.
inline constexpr std::uint32_t kCodeBits = 8;
inline constexpr std::uint64_t kGaveUp = ~std::uint64_t{0};
inline constexpr std::uint64_t kSentGaveUp = kGaveUp >> 1;  // of `sent`: streams compare words as signed numbers
constexpr std::uint64_t word_of(std::uint64_t number, std::uint32_t code) { return number << kCodeBits | code; }
constexpr std::uint64_t number_of(std::uint64_t word) { return word >> kCodeBits; }

/// What a launch does: start (send), finish (receive), or both in one.
enum class Phase : std::uint32_t { start = 1, finish = 2, both = 3 };
constexpr bool starts(Phase phase) { return phase != Phase::finish; }
constexpr bool finishes(Phase phase) { return phase != Phase::start; }

inline constexpr std::uint32_t kInlineWords = 8;

/// What a kernel is given.
struct Launch {
  const Run* runs = nullptr;
  const Tile* tiles = nullptr;
  const Chunk* chunks = nullptr;  // bulk, then send, then receive
  std::uint32_t num_runs = 0;
  std::uint32_t num_bulk = 0;
  std::uint32_t num_send = 0;
  std::uint32_t num_receive = 0;
  std::uint32_t num_common_waits = 0;  // of the receive chunks: without tiles, every block waits for these first
  std::uint32_t bulk_blocks = 0;
  std::uint32_t send_blocks = 0;
  std::uint32_t receive_blocks = 0;
  std::uint64_t* const* ready = nullptr;     // peers' words to store when the exchange starts
  std::uint64_t* const* consumed = nullptr;  // and when it has finished
  std::uint64_t* const* sent = nullptr;      // and when all of it has been sent
  std::uint32_t num_ready = 0;
  std::uint32_t num_consumed = 0;
  std::uint32_t num_sent = 0;
  std::uint64_t* first_ready[kInlineWords] = {};  // the same, the first few at hand without a load
  std::uint64_t* first_consumed[kInlineWords] = {};
  Counters* counters = nullptr;
  std::uint32_t* claims = nullptr;  // by link: pieces of bulk tiles taken in this exchange beyond each worker's first
  std::uint32_t num_claims = 0;
  Failure* failure = nullptr;     // mapped host memory
  std::uint64_t deadline_ns = 0;  // 0: none
  std::uint32_t code = 0;
  Phase phase = Phase::both;
  std::uint32_t threads = 0;  // of a block
  bool reduces = false;
  Reduce op = Reduce::sum;
};

/// The same with what it takes to tell a trace of it, if anything: then kernels of their own run.
struct TracedLaunch : Launch {
  StampLog stamps;
  Moments* moments = nullptr;  // of the binding, in GPU memory
  std::uint32_t binding = 0;   // its number

  bool is_traced() const { return stamps.ring != nullptr; }
};

/// Where a unit of a run lies at both ends, without slots. `row` numbers the rows, for lists.
struct UnitPlaces {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint32_t row = 0;
  std::uint32_t column_bytes = 0;
};

constexpr UnitPlaces places_of(const Run& run, std::uint32_t unit) {
  UnitPlaces at{run.source, run.target, 0, 0};
  if (run.shape == RunShape::linear) {
    at.source += std::uint64_t{unit} * run.unit_bytes;
    at.target += std::uint64_t{unit} * run.unit_bytes;
    return at;
  }
  at.row = run.row.divide(unit);
  const std::uint32_t column = unit - at.row * run.row.value;
  at.column_bytes = column * run.unit_bytes;
  if (run.shape == RunShape::numbered || run.shape == RunShape::chained) {
    const std::int64_t from = run.source_numbers != nullptr ? run.source_numbers[at.row] : std::int64_t{at.row};
    const std::int64_t to = run.target_numbers != nullptr ? run.target_numbers[at.row] : std::int64_t{at.row};
    at.source += static_cast<std::uint64_t>(from * run.source_stride[0] + column * run.source_stride[1]);
    at.target += static_cast<std::uint64_t>(to * run.target_stride[0] + column * run.target_stride[1]);
    return at;
  }
  const std::uint32_t i12 = run.counts[0].divide(at.row);
  const std::int64_t i0 = at.row - i12 * run.counts[0].value;
  const std::uint32_t i2 = run.counts[1].divide(i12);
  const std::int64_t i1 = i12 - i2 * run.counts[1].value;
  at.source += at.column_bytes + static_cast<std::uint64_t>(i0 * run.source_stride[0] + i1 * run.source_stride[1] +
                                                            std::int64_t{i2} * run.source_stride[2]);
  at.target += at.column_bytes + static_cast<std::uint64_t>(i0 * run.target_stride[0] + i1 * run.target_stride[1] +
                                                            std::int64_t{i2} * run.target_stride[2]);
  if (run.source_offsets != nullptr && run.shape == RunShape::listed)
    at.source += static_cast<std::uint64_t>(run.source_offsets[at.row]);
  if (run.target_offsets != nullptr) at.target += static_cast<std::uint64_t>(run.target_offsets[at.row]);
  return at;
}

/// What a shifted run stores for `value`, unit `unit` of the run.
template <class T>
constexpr T shifted(const Run& run, std::uint32_t unit, T value) {
  return value + static_cast<T>(run.shift[unit - run.row.divide(unit) * run.row.value]);
}

}  // namespace halyard::pack::device
