// Migration: one migration of one rank: letters of records to the neighbors, records for ranks further away as blobs,
// arrivals put behind the particles that were there, then everything made dense.
//
// The flow is in context/particles/migrator.cpp, which brings what needs all ranks. Made once for each Migrator, its
// lists keep their memory. One thread. What arrives and finds no room is kept until the next migration.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "halyard/migrator.hpp"
#include "particles/mail.hpp"
#include "particles/migrate/departures.hpp"
#include "particles/migrate/record_mover.hpp"
#include "particles/migrate/records.hpp"
#include "particles/migrate/settle.hpp"

namespace halyard::particles {

/// Records that came from `rank`, or were made for it.
struct Batch {
  int rank = 0;
  std::int64_t count = 0;
  bool has_origin = false;
  transport::Blob bytes;
};

class Migration final : public Letters {
 public:
  /// `ranks` are the mail's.
  Migration(Particles& particles, const Roles& roles, const std::vector<int>& ranks, int rank, int num_ranks);

  /// Another way to the arrays than that of host memory. Before the first migration.
  void set_mover(std::unique_ptr<RecordMover> mover) { mover_ = std::move(mover); }

  /// Before the round: who leaves. `has_origins` alike on all ranks.
  Departures& departures() { return departures_; }
  void begin(bool has_origins);
  /// Puts what an earlier migration had to keep behind the particles, if there is room now. Before begin().
  void place_kept();

  std::size_t write(std::size_t peer, std::span<std::byte> piece) override;
  bool is_written(std::size_t peer) override;
  bool take(std::size_t peer, std::span<const std::byte> piece) override;

  /// After the round. What kept arrivals from being placed, if anything did.
  const Status& trouble() const { return trouble_; }
  bool has_far() const { return !far_.empty(); }
  /// Records for ranks that are no neighbors; before settle().
  std::vector<Batch> far_batches() const;
  /// Makes the particles dense and sets their number.
  void settle(MigrateOrder order);
  /// Puts batches, ascending by rank, behind the particles; keeps them where there is no room.
  void place_far(std::vector<Batch> batches);

  std::int64_t num_left() const { return num_near_left_ + num_far_left_; }
  std::int64_t num_far_left() const { return num_far_left_; }
  std::int64_t num_arrived() const { return num_arrived_; }
  std::vector<ParticleOrigin> take_origins() { return std::move(origins_); }

 private:
  struct Letter;
  /// Particles that leave, and their rows as in Departures.
  struct Leaving {
    std::vector<std::int32_t> numbers;
    std::vector<std::int32_t> rows;
  };

  RecordShape shape() const { return {particles_, roles_, has_origins_}; }
  void sort_leavers();
  void stage_leavers();
  void stage(const Leaving& leaving);
  void finish_moving();
  void make_room_for(std::int64_t count);
  void set_places();
  void refuse_origins(int rank);
  void place(int rank, std::int64_t count, const std::byte* bytes, std::int64_t first);
  void place_batch(const Batch& batch, std::int64_t first);
  std::int64_t num_kept() const;

  struct Letter {
    int rank = 0;
    Leaving leaving;
    std::size_t first_staged = 0;
    std::size_t num_written = 0;
    bool has_begun = false;
    std::int64_t num_announced = -1;  // -1: not heard yet
    std::int64_t num_taken = 0;
    std::int64_t first = 0;  // element of the first arrival
  };

  Particles& particles_;
  const Roles& roles_;
  std::unique_ptr<RecordMover> mover_ = std::make_unique<HostMover>();
  int rank_;
  std::vector<std::int32_t> number_of_rank_;  // of a peer; -1 for ranks further away
  std::vector<Letter> letters_;
  std::map<int, Leaving> far_;
  std::size_t first_far_staged_ = 0;
  Leaving staged_;  // all of them, letter by letter
  Departures departures_;
  std::vector<Move> moves_;
  bool has_origins_ = false;
  std::size_t num_heard_ = 0;
  bool has_room_ = true;
  std::int64_t num_placed_ = 0;  // behind the particles that were there
  std::int64_t num_arrived_ = 0;
  std::int64_t num_near_left_ = 0;
  std::int64_t num_far_left_ = 0;
  std::vector<Batch> kept_;  // of an earlier migration, or of this one
  std::vector<ParticleOrigin> origins_;
  std::vector<std::int64_t> origin_numbers_;
  Status trouble_;
};

}  // namespace halyard::particles
