// GhostExchangeCore: the exchanges of some arrays on one Borders: a binding whose messages are listed anew with each
// build. In host memory (HostGhostExchange, below) or GPU memory (gpu/ghost_exchange.hpp).
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

  GhostExchangeCore(BordersCore& borders, const std::vector<std::string>& arrays);
  GhostExchangeCore(const GhostExchangeCore&) = delete;
  GhostExchangeCore& operator=(const GhostExchangeCore&) = delete;
  virtual ~GhostExchangeCore();

  /// Data path. False when the borders were not built for the particles as they are, or arrays have moved.
  bool is_listed() const;
  virtual BindingCore& binding() = 0;
  virtual std::string explain() = 0;
  /// Before a reverse exchange starts, when is_listed(): makes what is only made if there are any. Fails the binding
  /// when that does not succeed.
  virtual void prepare_to_reverse() {}

  // ---- while the borders are built; links by number, ascending by rank, perhaps this rank among them ----------------

  /// Whether no exchange is running.
  virtual bool is_idle() = 0;
  /// Makes room for what each link will carry. True when peers must be shown other windows than before. Throws Error.
  virtual bool make_room(std::span<const particles::Listing* const> /*listings*/) { return false; }
  /// Where this rank's arrays, or what lands with it, lie, for the peer of a link.
  virtual transport::Blob window(std::size_t link) const = 0;
  /// Takes the peer's window; true when the link needs another channel, on both ends. Throws Error.
  virtual bool prepare(std::size_t link, const particles::Listing& listing,
                       std::span<const std::byte> their_window) = 0;
  /// After all windows have been taken. What it enqueues in the default stream is waited for. Throws Error.
  virtual void finish_preparing() {}
  /// Says that the channel is not to be used any more: before open(), on both ends, so that both know if that fails.
  virtual void drop(std::size_t link) = 0;
  virtual transport::Blob open(std::size_t link) = 0;
  virtual void connect(std::size_t link, std::span<const std::byte> their_address) = 0;
  /// Remembers where the arrays lie: an exchange that starts when they have moved is refused.
  void begin_listing();
  /// Sets what the link's messages are made of.
  virtual void relist(std::size_t link, const particles::Listing& listing) = 0;
  /// After all links have been listed.
  virtual void end_listing() {}

  /// Of the elements that are exchanged: equal on all ranks.
  std::uint64_t shape_hash() const { return shape_hash_; }

 protected:
  std::vector<FieldView> views() const;
  std::vector<FieldShape> shapes() const;
  /// For paths and their reasons: a pattern that says how many elements go to whom, not which.
  Plan plan(const PathFacts& facts, Memory memory,
            std::span<const std::array<std::int64_t, 2>> num_elements = {}) const;
  std::uint64_t hash_of(const particles::Listing& listing, std::int64_t count, bool is_forward) const;

  BordersCore& borders_;
  std::vector<std::size_t> arrays_;  // numbers into Particles::arrays

 private:
  std::uint64_t shape_hash_ = 0;
  std::vector<const void*> listed_data_;  // of each array
};

/// Links of a HostBinding. Channels stay open as long as messages fit them and arrays stay where they are read; both
/// ends see from the same numbers when they do not, and open the next one together.
class HostGhostExchange final : public GhostExchangeCore {
 public:
  HostGhostExchange(BordersCore& borders, const std::vector<std::string>& arrays, const PathFacts& facts,
                    const exchange::Workers& workers, const exchange::Surroundings& around);

  BindingCore& binding() override { return binding_; }
  std::string explain() override;
  bool is_idle() override { return binding_.is_idle(); }
  transport::Blob window(std::size_t link) const override;
  bool prepare(std::size_t link, const particles::Listing& listing, std::span<const std::byte> their_window) override;
  void drop(std::size_t link) override { forms_[link].open.capacity = -1; }
  transport::Blob open(std::size_t link) override;
  void connect(std::size_t link, std::span<const std::byte> their_address) override;
  void relist(std::size_t link, const particles::Listing& listing) override;

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
  std::int64_t message_bytes(std::int64_t num_elements) const;
  pack::Gather gather_of(std::size_t array, std::int64_t count) const;
  void set_shift(pack::Gather& gather, std::size_t array, const Point3& shift) const;
  void relist_forward(exchange::Route& route, const LinkForm& form, const particles::Listing& listing);
  void relist_reverse(exchange::Route& route, const LinkForm& form, const particles::Listing& listing);
  void relist_self(exchange::Link& self, const particles::Listing& listing);

  std::uint64_t first_number_;
  std::function<void(std::unique_ptr<transport::Channel>)> retire_;
  PathFacts facts_;
  HostBinding binding_;
  std::vector<LinkForm> forms_;
};

/// With room to spare, in pages: so that the next builds fit too.
constexpr std::int64_t ghost_capacity_for(std::int64_t bytes) { return (bytes + bytes / 4 + 4095) / 4096 * 4096; }

}  // namespace halyard
