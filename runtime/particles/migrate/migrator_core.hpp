// MigratorCore: the flow of Migrator::migrate: see who leaves, exchange letters with neighbors, make arrays dense,
// agree on whether somebody failed or has particles for ranks further away, deliver those, check.
//
// Made by the context. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "halyard/migrator.hpp"
#include "particles/everyone.hpp"
#include "particles/migrate/gpu/device_departures.hpp"
#include "particles/migrate/id_check.hpp"
#include "particles/migrate/last_positions.hpp"
#include "particles/migrate/migration.hpp"

namespace halyard {

class MigratorCore {
 public:
  /// What comes from outside the module, and lives as long as the context.
  struct Outside {
    std::shared_ptr<particles::Everyone> everyone;
    PathFacts facts;
    exchange::Workers workers;
    exchange::Surroundings around;
    std::function<void(const Particles&)> check_memory;           // throws for memory of another kind than it was
    std::shared_ptr<const particles::device::OnGpu> on_gpu = {};  // null: arrays lie in host memory
  };

  MigratorCore(const ParticleDomain& domain, Particles& particles, const MigratorOptions& options, Outside outside);

  /// Collective, once, before anything else.
  void connect();
  Migrated migrate(const MigrateOptions& options);
  Migrated migrate_to(std::span<const int> destinations, const MigrateOptions& options);
  void accept_ids();
  std::uint64_t record_hash() const { return roles_.record_hash; }
  const ParticleDomain& domain() const { return partition_.domain(); }

 private:
  std::string when(const MigrateOptions& options) const;
  void begin();
  Status see_who_leaves(const MigrateOptions& options);
  Status bad_coordinate(std::int64_t i, const MigrateOptions& options);
  Migrated move(Status trouble, const MigrateOptions& options);
  void exchange_letters(const MigrateOptions& options);
  void settle(const MigrateOptions& options);
  std::uint32_t agree(std::uint32_t bits);
  bool deliver_far(std::vector<particles::Batch> mine);
  const Particles& on_host();
  void check_owners(const MigrateOptions& options);

  Particles& particles_;
  MigratorOptions options_;
  Outside outside_;
  particles::Roles roles_;
  particles::Partition partition_;
  particles::Mail mail_;
  particles::Migration migration_;
  particles::IdCheck ids_;
  particles::LastPositions last_positions_;
  std::unique_ptr<particles::DeviceDepartures> device_departures_;  // in GPU memory
  std::unique_ptr<particles::device::Mirror> mirror_;               // likewise, for checks
  std::int64_t num_migrations_ = 0;
};

}  // namespace halyard
