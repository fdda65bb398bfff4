// BordersCore: the flow of Borders::build: list, tell counts and numbers, make room, tell where arrays lie, open what
// channels have to be opened, list the exchanges anew. In GPU memory, where landing memory seldom changes, peers are
// told with the counts where it lies, and once more if it had to grow on some rank (docs/adr/0047).
//
// Made by the context. One thread. What fails on one rank is the same Error on all; then there are no ghosts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "halyard/borders.hpp"
#include "particles/borders/border_lists.hpp"
#include "particles/borders/ghost_exchange.hpp"
#include "particles/borders/gpu/device_lists.hpp"
#include "particles/everyone.hpp"
#include "particles/letters.hpp"

namespace halyard {

class BordersCore {
 public:
  /// What comes from outside the module, and lives as long as the context.
  struct Outside {
    std::shared_ptr<particles::Everyone> everyone;
    PathFacts facts;
    exchange::Workers workers;
    exchange::Surroundings around;
    std::function<exchange::Surroundings(std::uint64_t)> next_surroundings;  // with so many binding numbers
    std::function<void(const Particles&)> check_memory;           // throws for memory of another kind than it was
    std::shared_ptr<const particles::device::OnGpu> on_gpu = {};  // null: arrays lie in host memory
  };

  BordersCore(const ParticleDomain& domain, Particles& particles, const BorderOptions& options, Outside outside);

  /// Collective, once, before anything else.
  void connect();
  void build();
  /// For an exchange that comes after a build, collective: brings it up to what is listed.
  void add(GhostExchangeCore& exchange);
  void remove(GhostExchangeCore& exchange);

  void require_reach(double needed, std::string_view what) const;

  /// False after a migration, until the next build.
  bool is_listed() const {
    return is_built_ && particles_.num_owned == num_owned_ && particles_.num_migrations == num_migrations_;
  }

  const Outside& outside() const { return outside_; }
  Particles& particles() { return particles_; }
  const particles::Roles& roles() const { return roles_; }
  const particles::BorderLists& lists() const { return lists_; }
  /// Of particles in GPU memory.
  particles::DeviceLists& device_lists() { return *device_lists_; }
  const BorderOptions& options() const { return options_; }
  std::span<const GhostGroup> groups() const { return groups_; }
  std::int64_t first_ghost() const { return first_ghost_; }
  std::int64_t num_ghosts() const { return num_ghosts_; }
  int rank() const { return outside_.everyone->rank(); }

 private:
  struct Neighbor {
    bool is_self = false;
    std::size_t peer = 0;  // its number in the mail
    std::vector<std::int32_t> their_numbers;
    particles::Listing listing;
  };

  /// How what peers show, Neighbor::window, comes here.
  enum class Windows { with_lists, in_a_round };

  bool reads_arrays(const Neighbor& neighbor) const;
  void run_round(const std::vector<bool>& with = {});
  void tell_lists();
  void hear_lists();
  void check_idle() const;
  bool make_room();
  void list();
  void link_exchanges(Status trouble, bool has_moved, Windows windows);
  std::uint32_t link_and_agree(Status& trouble, std::uint32_t bits, Windows windows);
  std::uint32_t agree(std::uint32_t bits);
  bool make_exchanges_room();
  void add_windows(std::size_t neighbor);
  void tell_windows();
  std::uint32_t hear_windows(Windows windows);
  void open_channels();
  void connect_channels();
  void forget();

  Particles& particles_;
  BorderOptions options_;
  Outside outside_;
  particles::Roles roles_;
  particles::Partition partition_;
  particles::BorderLists lists_;
  std::unique_ptr<particles::DeviceLists> device_lists_;  // in GPU memory
  std::vector<Neighbor> neighbors_;                       // as in lists_
  particles::Mail mail_;
  particles::BlobLetters letters_;
  std::vector<GhostExchangeCore*> exchanges_;
  std::vector<std::vector<bool>> reopens_;  // by neighbor, exchange
  std::vector<GhostGroup> groups_;
  std::uint64_t num_builds_ = 0;
  std::int64_t first_ghost_ = 0;
  std::int64_t num_ghosts_ = 0;
  std::int64_t num_owned_ = 0;  // when they were built, as what follows
  std::uint64_t num_migrations_ = 0;
  bool is_built_ = false;
};

}  // namespace halyard
