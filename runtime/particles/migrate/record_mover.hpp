// RecordMover: how a migration reaches the arrays: on the host, or, in GPU memory, by kernels through pinned memory
// that holds those who move to or from other ranks, and nobody else (gpu/device_mover.hpp).
//
// Owned by a Migration; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "halyard/status.hpp"
#include "particles/migrate/records.hpp"
#include "particles/migrate/settle.hpp"

namespace halyard::particles {

class RecordMover {
 public:
  RecordMover() = default;
  RecordMover(const RecordMover&) = delete;
  RecordMover& operator=(const RecordMover&) = delete;
  virtual ~RecordMover() = default;

  /// Before the round: everybody who leaves, in the order in which pack() takes them; `rows` as in Departures.
  virtual void stage(std::span<const std::int32_t> leavers, std::span<const std::int32_t> rows) = 0;
  /// Data path. Packs the leavers staged from `first` on.
  virtual void pack(const RecordShape& shape, std::span<const std::int32_t> numbers, std::size_t first,
                    std::byte* batch) = 0;
  /// Before the caller moves the arrays: nothing that uses them is on its way any more.
  virtual Status come_to_rest() = 0;
  /// Before place(): so many records come until finish(), into the elements from `first` on.
  virtual void expect(std::int64_t first, std::int64_t count) = 0;
  /// Data path. Puts a batch into the elements from `first` on; `origins`, if wanted, gets as many.
  virtual void place(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
                     std::int64_t* origins) = 0;
  virtual void move(std::span<const Move> moves, const Particles& particles, const Roles& roles) = 0;
  /// When all of it is done. What failed since the last time.
  virtual Status finish() = 0;
};

/// Arrays in host memory.
class HostMover final : public RecordMover {
 public:
  void stage(std::span<const std::int32_t>, std::span<const std::int32_t>) override {}
  void pack(const RecordShape& shape, std::span<const std::int32_t> numbers, std::size_t, std::byte* batch) override {
    pack_records(shape, numbers, batch);
  }
  Status come_to_rest() override { return {}; }
  void expect(std::int64_t, std::int64_t) override {}
  void place(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
             std::int64_t* origins) override {
    unpack_records(shape, batch, count, first, origins);
  }
  void move(std::span<const Move> moves, const Particles& particles, const Roles& roles) override {
    run_moves(moves, particles, roles);
  }
  Status finish() override { return {}; }
};

}  // namespace halyard::particles
