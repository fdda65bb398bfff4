// The host twin of the exchange kernel, for the emulated device. Its words follow ../../transport/protocol.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "pack/device/compile.hpp"
#include "pack/device/kernel.hpp"
#include "pack/device/reduce_unit.hpp"
#include "pack/device/stamps/stamp_host.hpp"

namespace halyard::pack::device {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic_ref<std::uint64_t> atomic(std::byte* word) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(word));
}

class Twin {
 public:
  Twin(const TracedLaunch& launch, const HostView& view)
      : launch_(launch), view_(view), counters_(*as<Counters>(launch.counters)), times_(launch, view) {}

  void run() {
    if (counters_.failed != 0) return finish();
    times_.begun();
    if (starts()) send();
    if (finishes() && counters_.failed == 0) receive();
    finish();
  }

 private:
  template <class T>
  T* as(const void* address) const {
    return reinterpret_cast<T*>(view_(address));
  }
  bool starts() const { return device::starts(launch_.phase); }
  bool finishes() const { return device::finishes(launch_.phase); }

  void send() {
    number_ = counters_.started + 1;
    const auto* ready = as<std::uint64_t* const>(launch_.ready);
    for (std::uint32_t i = 0; i < launch_.num_ready; ++i) store(ready[i], word_of(number_, launch_.code));
    const std::uint32_t num_chunks = launch_.num_bulk + launch_.num_send;
    for (std::uint32_t k = 0; k < num_chunks; ++k) {
      const Chunk chunk = as<Chunk>(launch_.chunks)[k];
      if (!wait_for(chunk, k < launch_.num_bulk ? FailureKind::not_ready : FailureKind::no_credit)) return;
      if (!(k < launch_.num_bulk ? copy_share(chunk) : copy_tiles(chunk, false))) return;
      if (chunk.signal != nullptr) store(chunk.signal, word_of(number_, launch_.code));
    }
    times_.has_sent();
  }

  void receive() {
    number_ = counters_.finished + 1;
    const std::uint32_t first = launch_.num_bulk + launch_.num_send;
    for (std::uint32_t k = first; k < first + launch_.num_receive; ++k) {
      const Chunk chunk = as<Chunk>(launch_.chunks)[k];
      if (!wait_for(chunk, FailureKind::not_arrived)) return;
      if (!copy_tiles(chunk, launch_.reduces)) return;
    }
  }

  void finish() {
    const auto* consumed = as<std::uint64_t* const>(launch_.consumed);
    if (starts()) counters_.started += 1;
    if (finishes()) counters_.finished += 1;
    const auto* sent = as<std::uint64_t* const>(launch_.sent);
    const std::uint64_t sent_word = counters_.failed != 0 ? kSentGaveUp : word_of(counters_.started, launch_.code);
    for (std::uint32_t i = 0; (starts() || counters_.failed != 0) && i < launch_.num_sent; ++i)
      store(sent[i], sent_word);
    if (counters_.failed == 0) times_.ended(finishes() ? counters_.finished : counters_.started);
    if (!finishes() && counters_.failed == 0) return;
    const std::uint64_t word = counters_.failed != 0 ? kGaveUp : word_of(counters_.finished, launch_.code);
    for (std::uint32_t i = 0; i < launch_.num_consumed; ++i) store(consumed[i], word);
  }

  void store(std::uint64_t* address, std::uint64_t word) const {
    atomic(view_(address)).store(word, std::memory_order_release);
  }

  bool wait_for(const Chunk& chunk, FailureKind kind) {
    if (chunk.words == nullptr) return true;
    for (std::uint32_t w = 0; w < chunk.num_waits; ++w)
      if (!wait_for_word(chunk, chunk.wait + w, kind)) return false;
    return true;
  }

  bool wait_for_word(const Chunk& chunk, std::uint32_t index, FailureKind kind) {
    const auto since = Clock::now();
    const auto word = atomic(view_(chunk.words + index * kWordStride));
    const auto gave_up = atomic(view_(chunk.words + kConsumed * kWordStride));
    while (true) {
      const std::uint64_t seen = word.load(std::memory_order_acquire);
      if (seen == kGaveUp || gave_up.load(std::memory_order_relaxed) == kGaveUp)
        return fail(chunk, FailureKind::peer_gave_up, seen);
      if (number_of(seen) + chunk.lag >= number_) {
        times_.wait_is_over(kind);
        return chunk.lag != 0 || is_expected(seen) || fail_disagreement(chunk, seen);
      }
      if (is_late(since)) return fail(chunk, kind, seen);
      std::this_thread::yield();
    }
  }

  bool is_expected(std::uint64_t seen) const {
    return number_of(seen) != number_ || seen == word_of(number_, launch_.code);
  }
  bool fail_disagreement(const Chunk& chunk, std::uint64_t seen) {
    return fail(chunk, FailureKind::disagreement, seen);
  }

  bool fail(const Chunk& chunk, FailureKind kind, std::uint64_t seen) {
    counters_.failed = 1;
    auto& failure = *as<Failure>(launch_.failure);
    failure.link = chunk.link;
    failure.number = number_;
    failure.word = seen;
    std::atomic_ref<std::uint32_t>(failure.kind).store(static_cast<std::uint32_t>(kind), std::memory_order_release);
    return false;
  }

  // Chunks run one after the other here, so that each worker takes as many pieces as any other.
  bool copy_share(Chunk chunk) {
    const std::uint32_t first = chunk.first_tile;
    const std::uint32_t last = first + chunk.num_tiles;
    const std::uint32_t step = chunk.num_workers * chunk.tiles_per_piece;
    for (std::uint32_t tile = first + chunk.worker * chunk.tiles_per_piece; tile < last; tile += step) {
      chunk.first_tile = tile;
      chunk.num_tiles = std::min(chunk.tiles_per_piece, last - tile);
      if (!copy_tiles(chunk, false)) return false;
    }
    return true;
  }

  bool copy_tiles(const Chunk& chunk, bool reduces) {
    for (std::uint32_t t = chunk.first_tile; t < chunk.first_tile + chunk.num_tiles; ++t) {
      const Tile tile = as<Tile>(launch_.tiles)[t];
      const Run run = readable(as<Run>(launch_.runs)[tile.run]);
      const std::uint32_t step = run.packets == Packets::none ? 1 : kPacketWords;
      const std::uint32_t last = tile.first + tile.num;
      for (std::uint32_t unit = tile.first; unit < last; unit += step) {
        const std::uint32_t end = std::min(unit + step, last);
        if (run.packets == Packets::sent)
          send_packet(run, unit, end);
        else if (run.packets == Packets::none)
          copy_unit(run, unit, reduces);
        else if (!receive_packet(chunk, run, unit, end))
          return false;
      }
    }
    return true;
  }

  void send_packet(const Run& run, std::uint32_t first, std::uint32_t end) const {
    std::byte* packet = at(run.target + std::uint64_t{first / kPacketWords} * kPacketBytes, run.target_slot);
    for (std::uint32_t unit = first; unit < end; ++unit)
      std::memcpy(packet + (unit - first) * kPacketWordBytes, at(places_of(run, unit).source, run.source_slot),
                  kPacketWordBytes);
    atomic(packet + kPacketWords * kPacketWordBytes).store(word_of(number_, launch_.code), std::memory_order_release);
  }

  bool receive_packet(const Chunk& chunk, const Run& run, std::uint32_t first, std::uint32_t end) {
    const std::byte* packet = at(run.source + std::uint64_t{first / kPacketWords} * kPacketBytes, run.source_slot);
    if (!wait_for_packet(chunk, packet)) return false;
    for (std::uint32_t unit = first; unit < end; ++unit)
      std::memcpy(at(places_of(run, unit).target, run.target_slot), packet + (unit - first) * kPacketWordBytes,
                  kPacketWordBytes);
    return true;
  }

  bool wait_for_packet(const Chunk& chunk, const std::byte* packet) {
    const auto since = Clock::now();
    const auto flag = atomic(const_cast<std::byte*>(packet) + kPacketWords * kPacketWordBytes);
    const auto gave_up = atomic(view_(chunk.words + kConsumed * kWordStride));
    const auto arrived = atomic(view_(chunk.words + kFirstArrived * kWordStride));  // of a message without packets
    while (true) {
      const std::uint64_t seen = flag.load(std::memory_order_acquire);
      if (seen == word_of(number_, launch_.code)) {
        times_.wait_is_over(FailureKind::not_arrived);
        return true;
      }
      if (!is_expected(seen) || !is_expected(arrived.load(std::memory_order_relaxed)))
        return fail(chunk, FailureKind::disagreement, word_of(number_, 0));
      if (gave_up.load(std::memory_order_relaxed) == kGaveUp) return fail(chunk, FailureKind::peer_gave_up, 0);
      if (is_late(since)) return fail(chunk, FailureKind::not_arrived, word_of(number_ - 1, 0));
      std::this_thread::yield();
    }
  }

  bool is_late(Clock::time_point since) const {
    return launch_.deadline_ns != 0 &&
           Clock::now() - since > std::chrono::nanoseconds(static_cast<std::int64_t>(launch_.deadline_ns));
  }

  Run readable(Run run) const {
    if (run.source_offsets != nullptr) run.source_offsets = as<const std::int64_t>(run.source_offsets);
    if (run.target_offsets != nullptr) run.target_offsets = as<const std::int64_t>(run.target_offsets);
    if (run.first_source != nullptr) run.first_source = as<const std::int64_t>(run.first_source);
    if (run.source_numbers != nullptr) run.source_numbers = as<const std::int32_t>(run.source_numbers);
    if (run.target_numbers != nullptr) run.target_numbers = as<const std::int32_t>(run.target_numbers);
    if (run.chain != nullptr) run.chain = as<const std::uint32_t>(run.chain);
    return run;
  }

  std::byte* at(std::uint64_t address, std::uint64_t slot) const {
    return view_(reinterpret_cast<const void*>(address + (number_ % 2 == 0 ? 0 : slot)));
  }

  void copy_unit(const Run& run, std::uint32_t unit, bool reduces) const {
    const UnitPlaces places = places_of(run, unit);
    std::byte* target = at(places.target, run.target_slot);
    if (!reduces) {
      std::memcpy(target, at(places.source, run.source_slot), run.unit_bytes);
      if (run.is_shifted) shift_unit(run, unit, target);
    } else if (run.shape == RunShape::chained) {
      sum_chain(run, places, target);
    } else if (run.shape != RunShape::summed) {
      reduce_unit(run.scalar, launch_.op, target, at(places.source, run.source_slot));
    } else {
      for (auto c = run.first_source[places.row]; c < run.first_source[places.row + 1]; ++c)
        reduce_unit(run.scalar, launch_.op, target,
                    at(static_cast<std::uint64_t>(run.source_offsets[c]) + places.column_bytes, run.source_slot));
    }
  }

  static void shift_unit(const Run& run, std::uint32_t unit, std::byte* target) {
    if (run.scalar == Scalar::f32)
      shift_as<float>(run, unit, target);
    else
      shift_as<double>(run, unit, target);
  }
  template <class T>
  static void shift_as(const Run& run, std::uint32_t unit, std::byte* target) {
    T value;
    std::memcpy(&value, target, sizeof(T));
    value = shifted(run, unit, value);
    std::memcpy(target, &value, sizeof(T));
  }

  void sum_chain(const Run& run, const UnitPlaces& places, std::byte* target) const {
    if ((run.chain[places.row] & kNotFirst) != 0) return;
    for (std::uint32_t row = places.row;;) {
      reduce_unit(run.scalar, launch_.op, target,
                  at(static_cast<std::uint64_t>(run.source_offsets[row]) + places.column_bytes, run.source_slot));
      const std::uint32_t next = run.chain[row] & ~kNotFirst;
      if (next == 0) return;
      row = next - 1;
    }
  }

  const TracedLaunch& launch_;
  const HostView& view_;
  Counters& counters_;
  StampTaker times_;
  std::uint64_t number_ = 0;
};

}  // namespace

void run_on_host(const TracedLaunch& launch, const HostView& view) { Twin(launch, view).run(); }

}  // namespace halyard::pack::device
