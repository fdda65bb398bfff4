// Migrator: moves whole particles to the ranks that own them.
//
// migrate() sends each particle to the owner of its position, however far away; migrate_to() to ranks of the caller's
// choice. All ranks call the same function, also those without particles. To the neighbors of the domain particles go
// through channels that stay open; to ranks further away by messages of their own, which are looked for only when some
// rank has any. Errors are the same on every rank, and whatever happens each particle is on one rank: where it was, or
// where it went.
//
// One thread at a time. Takes as many elements more as arrive on top of those that are there: see Particles::grow.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halyard/context.hpp"
#include "halyard/export.hpp"
#include "halyard/particle_domain.hpp"
#include "halyard/particles.hpp"

namespace halyard {

/// `any`: arrivals fill the holes that leavers leave, then the last stayers do; no other stayer is copied. `stable`:
/// stayers keep their order, arrivals follow, by rank they come from and by order there. Both are the same in every
/// run.
enum class MigrateOrder { any, stable };

struct MigrateOptions {
  MigrateOrder order = MigrateOrder::any;
  std::int64_t step = -1;      // what errors call this step; -1: the number of the migration
  bool wants_origins = false;  // equal on all ranks
};

/// Where a particle was before: so that arrays which were not handed over can follow.
struct ParticleOrigin {
  int rank = 0;
  std::int64_t index = 0;

  friend bool operator==(const ParticleOrigin&, const ParticleOrigin&) = default;
};

struct Migrated {
  std::int64_t num_owned = 0;  // afterwards
  std::int64_t num_left = 0;
  std::int64_t num_arrived = 0;
  std::int64_t num_far = 0;             // of those that left: to ranks that are no neighbors
  std::vector<ParticleOrigin> origins;  // of each owned particle, if wanted
};

/// What is checked each time, for a price: with `ids` or `owners` a few collective operations, with `positions` a copy.
struct MigrateChecks {
  bool ids = false;        // count, sum and xor of ids as before, each id once; names the first five missing ones
  bool owners = false;     // each particle lies in its owner's box (migrate only)
  bool positions = false;  // errors about bad coordinates name the last good position

  static MigrateChecks all() { return {true, true, true}; }
};

struct MigratorOptions {
  MigrateChecks checks;
  /// A coordinate further than this many box lengths from the box is an error, as NaN and infinity are.
  double most_box_lengths = 1e6;
};

class MigratorCore;

class HALYARD_API Migrator {
 public:
  /// Collective. Keeps a reference to `particles`. Throws Error for a bad domain, or arrays that are missing, opaque or
  /// of the wrong type.
  Migrator(Context& context, const ParticleDomain& domain, Particles& particles, const MigratorOptions& options = {});
  Migrator(Migrator&&) noexcept;
  Migrator& operator=(Migrator&&) noexcept;
  ~Migrator();

  /// Collective. Wraps positions on periodic axes, then moves each particle to its owner. Ghosts are dropped. Throws
  /// Error(invalid_argument) that names id, step, rank and last good position for a coordinate that is not finite or
  /// ran away, before any particle has moved on that rank; Error(out_of_resources) for want of capacity.
  Migrated migrate(const MigrateOptions& options = {});

  /// Collective. Moves particle i to rank destinations[i]; positions are left alone.
  Migrated migrate_to(std::span<const int> destinations, const MigrateOptions& options = {});

  /// With checks.ids: takes the ids as they are now for right, after particles were made or removed on purpose.
  /// Collective.
  void accept_ids();

  const ParticleDomain& domain() const;

 private:
  std::unique_ptr<MigratorCore> core_;
};

}  // namespace halyard
