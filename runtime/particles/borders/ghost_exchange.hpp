// GhostExchangeCore: the exchanges of some arrays on one Borders: a HostBinding whose links are listed anew with each
// build. Channels stay open as long as messages fit them and arrays stay where they are read; both ends see from the
// same numbers when they do not, and open the next one together.
//
// Made by the context; driven by BordersCore while it builds, used by GhostExchange. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/assembly.hpp"
#include "exchange/host_binding.hpp"
#include "particles/arrays.hpp"
#include "particles/borders/border_lists.hpp"

namespace halyard {

class BordersCore;

namespace particles {

/// What a build found out about one neighbor; lists stay where they are until the next build.
struct Listing {
  std::uint64_t build = 0;  // number of the build, for tags
  const BorderTo* to = nullptr;
  const GhostGroup* groups = nullptr;  // the ghosts that it owns
  std::size_t num_groups = 0;
  std::int64_t num_received = 0;
  std::int64_t first = 0;                       // element of the first of them
  const std::int32_t* their_numbers = nullptr;  // of what they list for this rank, when this rank may read their arrays
  std::int64_t their_first = 0;                 // element of the first ghost that they hold of this rank
};

}  // namespace particles

class GhostExchangeCore {
 public:
  /// One block of this many binding numbers belongs to each exchange: a channel that is replaced takes the next.
  static constexpr std::uint64_t kNumbers = 64;

  GhostExchangeCore(BordersCore& borders, const std::vector<std::string>& arrays, const PathFacts& facts,
                    const exchange::Workers& workers, exchange::Surroundings around);
  GhostExchangeCore(const GhostExchangeCore&) = delete;
  GhostExchangeCore& operator=(const GhostExchangeCore&) = delete;
  ~GhostExchangeCore();

  std::uint64_t start(exchange::Kind kind, Reduce op, ReduceOrder order);
  HostBinding& binding() { return binding_; }
  std::string explain();

  // ---- while the borders are built; links by number, ascending by rank, perhaps this rank among them ----------------

  /// Where this rank's arrays lie, for the peer of a link.
  transport::Blob window(std::size_t link) const;
  /// Takes the peer's window; true when the link needs another channel, on both ends.
  bool prepare(std::size_t link, const particles::Listing& listing, std::span<const std::byte> their_window);
  /// Says that the channel is not to be used any more: before open(), on both ends, so that both know if that fails.
  void drop(std::size_t link) { forms_[link].open.capacity = -1; }
  transport::Blob open(std::size_t link);
  void connect(std::size_t link, std::span<const std::byte> their_address);
  /// Remembers where the arrays lie: an exchange that starts when they have moved is refused.
  void begin_listing();
  /// Sets what the link's messages are made of.
  void relist(std::size_t link, const particles::Listing& listing);

  /// Of the elements that are exchanged: equal on all ranks.
  std::uint64_t shape_hash() const { return shape_hash_; }

 private:
  /// What a channel carries; alike at both ends of a link.
  struct Form {
    std::int64_t capacity = -1;  // of messages; -1: there is no channel
    bool sends_in_place = false;
    bool receives_in_place = false;
  };
  struct LinkForm {
    Form open;
    Form wanted;
    std::uint64_t generation = 0;          // channels so far
    std::vector<pack::Grid> their_arrays;  // when they can be read
    std::int64_t num_sent = 0;             // for explain()
    std::int64_t num_received = 0;
  };

  exchange::Link& link(std::size_t number) { return binding_.links()[number]; }
  std::vector<FieldView> views() const;
  std::int64_t message_bytes(std::int64_t num_elements) const;
  std::uint64_t hash_of(const particles::Listing& listing, std::int64_t count, bool is_forward) const;
  pack::Gather gather_of(std::size_t array, std::int64_t count) const;
  void set_shift(pack::Gather& gather, std::size_t array, const Point3& shift) const;
  void relist_forward(exchange::Route& route, const LinkForm& form, const particles::Listing& listing);
  void relist_reverse(exchange::Route& route, const LinkForm& form, const particles::Listing& listing);
  void relist_self(exchange::Link& self, const particles::Listing& listing);

  BordersCore& borders_;
  std::vector<std::size_t> arrays_;  // numbers into Particles::arrays
  std::uint64_t first_number_;
  std::function<void(std::unique_ptr<transport::Channel>)> retire_;
  PathFacts facts_;
  std::uint64_t shape_hash_ = 0;
  HostBinding binding_;
  std::vector<LinkForm> forms_;
  std::vector<const void*> listed_data_;  // of each array
};

}  // namespace halyard
