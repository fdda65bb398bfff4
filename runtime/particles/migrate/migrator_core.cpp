// See migrator_core.hpp.
#include "particles/migrate/migrator_core.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "halyard/metrics.hpp"
#include "particles/migrate/gpu/device_mover.hpp"
#include "particles/neighborhood.hpp"
#include "transport/blob.hpp"

namespace halyard {

using particles::Batch;
using particles::Parcel;

namespace {

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::uint32_t kTrouble = 1;
constexpr std::uint32_t kFar = 2;

// A piece holds a few records at least, however large these are.
std::size_t piece_bytes(const particles::Roles& roles) {
  return std::max(kPieceBytes, 4 * static_cast<std::size_t>(roles.record_bytes) + 64);
}

std::string text_of(const Point3& p) { return fmt::format("({:.17g}, {:.17g}, {:.17g})", p[0], p[1], p[2]); }

}  // namespace

MigratorCore::MigratorCore(const ParticleDomain& domain, Particles& particles, const MigratorOptions& options,
                           Outside outside)
    : particles_(particles),
      options_(options),
      outside_(std::move(outside)),
      roles_((outside_.check_memory(particles), particles::roles_of(particles))),
      partition_((domain.check(outside_.everyone->size()), domain)),
      mail_("migrate", outside_.facts, outside_.workers, outside_.around,
            particles::adjacent_ranks(partition_, outside_.everyone->rank()), piece_bytes(roles_)),
      migration_(particles_, roles_, mail_.ranks(), outside_.everyone->rank(), outside_.everyone->size()) {
  if (options_.checks.ids && !roles_.id)
    throw Error(StatusCode::invalid_argument, "check ids in migrations: name the array that holds them, Particles::id");
  if (outside_.on_gpu == nullptr) return;
  auto records = std::make_shared<particles::device::Mirror>(outside_.on_gpu);
  device_departures_ = std::make_unique<particles::DeviceDepartures>(outside_.on_gpu, records);
  mirror_ = std::make_unique<particles::device::Mirror>(outside_.on_gpu);
  migration_.set_mover(std::make_unique<particles::DeviceMover>(outside_.on_gpu, particles_, roles_, records));
}

// Positions and ids where the host can read them: copies, where particles lie in GPU memory.
const Particles& MigratorCore::on_host() {
  if (mirror_ == nullptr) return particles_;
  return mirror_->take(particles_, roles_, particles::device::position_arrays(roles_, {roles_.id}),
                       particles_.num_owned);
}

void MigratorCore::connect() {
  std::vector<transport::Blob> blobs;
  outside_.everyone->together("open channels of a migrator", [&] {
    mail_.open();
    blobs = mail_.addresses();
  });
  const auto theirs = outside_.everyone->swap(mail_.ranks(), std::move(blobs));
  outside_.everyone->together("connect channels of a migrator", [&] { mail_.connect(theirs); });
}

std::string MigratorCore::when(const MigrateOptions& options) const {
  return options.step >= 0 ? fmt::format("at step {}", options.step) : fmt::format("in migration {}", num_migrations_);
}

void MigratorCore::begin() {
  if (!outside_.around.threads.allows_this_thread())
    throw Error(
        StatusCode::wrong_thread,
        "migrate from another thread than the one that initialized MPI: the thread level is SINGLE or FUNNELED; "
        "ask MPI_Init_thread for SERIALIZED or MULTIPLE");
  ++num_migrations_;
  ++particles_.num_migrations;
  particles_.num_ghosts = 0;
  if (options_.checks.ids && !ids_.has_accepted()) accept_ids();
}

Migrated MigratorCore::migrate(const MigrateOptions& options) {
  begin();
  Migrated migrated = move(see_who_leaves(options), options);
  if (options_.checks.owners) check_owners(options);
  return migrated;
}

Migrated MigratorCore::migrate_to(std::span<const int> destinations, const MigrateOptions& options) {
  begin();
  Status trouble;
  try {
    particles::check_counts(particles_);
    particles::depart_to(destinations, particles_, outside_.everyone->rank(), outside_.everyone->size(),
                         migration_.departures());
    migration_.place_kept();
  } catch (const Error& error) {
    trouble = error.status();
    migration_.departures().clear();
  }
  return move(std::move(trouble), options);
}

Status MigratorCore::see_who_leaves(const MigrateOptions& options) {
  const TraceRange range("migrate: look");
  try {
    particles::check_counts(particles_);
    migration_.place_kept();
  } catch (const Error& error) {
    migration_.departures().clear();
    return error.status();
  }
  const particles::Standing standing{partition_, outside_.everyone->rank(), options_.most_box_lengths};
  std::optional<std::int64_t> bad;
  try {
    bad = device_departures_ == nullptr
              ? particles::depart_by_position(particles_, roles_, standing, migration_.departures())
              : device_departures_->find(particles_, roles_, standing, migration_.departures());
    if (bad) return bad_coordinate(*bad, options);
  } catch (const Error& error) {
    migration_.departures().clear();
    return error.status();
  }
  return {};
}

Status MigratorCore::bad_coordinate(std::int64_t i, const MigrateOptions& options) {
  const Particles& all = on_host();
  const auto id = particles::id_of(all, roles_, i);
  const std::string name = id ? fmt::format("the particle with id {}", *id) : fmt::format("particle {}", i);
  std::string last = "; its last good position is not known, MigrateChecks::positions keeps it";
  if (options_.checks.positions) {
    const auto position = last_positions_.of(all, roles_, i);
    last = position ? "; its last good position was " + text_of(*position) : "; it had no good position before";
  }
  return {
      StatusCode::invalid_argument,
      fmt::format("migrate {}: on rank {} {} is at {}, which is not finite or more than {} box lengths away{}; look "
                  "for particles that overlap, too long a time step, or a force that is not finite",
                  when(options), outside_.everyone->rank(), name, text_of(particles::position_of(all, roles_, i)),
                  options_.most_box_lengths, last)};
}

// Nothing is thrown before particles have settled: whatever fails, each is on one rank, and all ranks say the same.
Migrated MigratorCore::move(Status trouble, const MigrateOptions& options) {
  exchange_letters(options);
  auto far = migration_.far_batches();
  settle(options);
  if (trouble.ok()) trouble = migration_.trouble();
  std::uint32_t bits = (trouble.ok() ? 0 : kTrouble) | (far.empty() ? 0 : kFar);
  bits = agree(bits);
  if ((bits & kFar) != 0 && deliver_far(std::move(far))) bits |= kTrouble;
  if ((bits & kTrouble) != 0)
    outside_.everyone->together("migrate", [&] {
      trouble.or_throw();
      migration_.trouble().or_throw();
    });
  if (options_.checks.positions) last_positions_.save(on_host(), roles_);
  if (options_.checks.ids) ids_.check(*outside_.everyone, on_host(), roles_, "after migration " + when(options));
  return {particles_.num_owned, migration_.num_left(), migration_.num_arrived(), migration_.num_far_left(),
          migration_.take_origins()};
}

void MigratorCore::exchange_letters(const MigrateOptions& options) {
  const TraceRange range("migrate: letters");
  migration_.begin(options.wants_origins);
  mail_.run(migration_).or_throw();
}

void MigratorCore::settle(const MigrateOptions& options) {
  const TraceRange range("migrate: settle");
  migration_.settle(options.order);
}

std::uint32_t MigratorCore::agree(std::uint32_t bits) {
  const TraceRange range("migrate: agree");
  return outside_.everyone->any(bits);
}

// True when some rank has no room for what came.
bool MigratorCore::deliver_far(std::vector<Batch> mine) {
  std::vector<Parcel> parcels;
  for (Batch& batch : mine) {
    transport::Blob blob;
    transport::append(blob, batch.count);
    transport::append(blob, static_cast<std::uint64_t>(batch.has_origin ? 1 : 0));
    blob.insert(blob.end(), batch.bytes.begin(), batch.bytes.end());
    parcels.push_back({batch.rank, std::move(blob)});
  }
  std::vector<Batch> came;
  for (const Parcel& parcel : outside_.everyone->deliver(std::move(parcels))) {
    transport::BlobReader reader(parcel.bytes);
    const auto count = reader.read<std::int64_t>();
    const bool has_origin = reader.read<std::uint64_t>() != 0;
    came.push_back({parcel.rank, count, has_origin, {parcel.bytes.begin() + 16, parcel.bytes.end()}});
  }
  migration_.place_far(std::move(came));
  return outside_.everyone->any(migration_.trouble().ok() ? 0 : kTrouble) != 0;
}

void MigratorCore::accept_ids() {
  if (!roles_.id)
    throw Error(StatusCode::invalid_argument, "accept ids: name the array that holds them, Particles::id");
  ids_.accept(*outside_.everyone, on_host(), roles_);
}

void MigratorCore::check_owners(const MigrateOptions& options) {
  const int rank = outside_.everyone->rank();
  outside_.everyone->together("check the owners of particles", [&] {
    const Particles& all = on_host();
    for (std::int64_t i = 0; i < all.num_owned; ++i) {
      const Point3 position = particles::position_of(all, roles_, i);
      const int owner = partition_.owner_of(position);
      if (owner == rank) continue;
      throw Error(StatusCode::disagreement,
                  fmt::format("check the owners of particles after migration {}: particle {} at {} lies in the box of "
                              "rank {}, and is on rank {}",
                              when(options), i, text_of(position), owner, rank));
    }
  });
}

}  // namespace halyard
