// GpuGhostExchange: exchanges of ghosts between arrays in GPU memory: a GpuBinding whose tables are made anew with each
// build, from counts that both ends know; the lists of numbers never leave the GPU.
//
// Made by the context; driven by BordersCore while it builds. Messages land in memory of the exchange's own, which
// grows when counts do; peers map it again then. Tables of reverse exchanges are made when the first one starts, and
// from then on by each build. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exchange/gpu/binding.hpp"
#include "pack/device/compile_ghosts.hpp"
#include "particles/borders/ghost_exchange.hpp"
#include "particles/borders/gpu/landed_places.hpp"
#include "particles/borders/gpu/landing.hpp"
#include "particles/device/memory.hpp"

namespace halyard {

class GpuGhostExchange final : public GhostExchangeCore {
 public:
  /// Throws Error, among others where messages would be staged and that is forbidden.
  GpuGhostExchange(BordersCore& borders, const std::vector<std::string>& arrays, const PathFacts& facts,
                   const particles::device::OnGpu& on_gpu);
  ~GpuGhostExchange() override;

  BindingCore& binding() override { return *binding_; }
  std::string explain() override;
  void prepare_to_reverse() override;
  bool is_idle() override { return binding_->is_idle(); }
  bool make_room(std::span<const particles::Listing* const> listings) override;
  transport::Blob window(std::size_t link) const override;
  bool prepare(std::size_t link, const particles::Listing& listing, std::span<const std::byte> their_window) override;
  void finish_preparing() override;
  void drop(std::size_t link) override { peers_[link].channel_bytes = -1; }
  transport::Blob open(std::size_t link) override;
  void connect(std::size_t link, std::span<const std::byte> their_address) override;
  void relist(std::size_t, const particles::Listing&) override {}
  void end_listing() override { binding_->resume(); }

 private:
  /// The other end of a link.
  struct Peer {
    bool is_staged = false;
    bool is_closed = false;             // shows nothing
    bool awaits_sent = false;           // its stream waits for what is sent, since it shares its GPU
    std::uint64_t generation = 0;       // channels so far
    std::int64_t channel_bytes = -1;    // of a staged link; -1: there is no channel
    std::vector<std::byte> handles[2];  // of its words and its landing memory, as last heard
    std::shared_ptr<device::Mapping> mapped[2];
    std::uint64_t words = 0;  // offsets in them
    std::uint64_t landing = 0;
    std::uint64_t slot_bytes = 0;
  };
  struct Window;

  exchange::gpu::GpuParts make_parts(const Plan& plan);
  void allow_staging(const PlanNeighbor& neighbor) const;
  std::unique_ptr<exchange::gpu::StreamWaits> make_stream_waits(const exchange::gpu::GpuParts& parts) const;
  void allocate_landing();
  std::vector<pack::device::ElementArray> element_arrays() const;
  std::int64_t message_bytes(std::int64_t count) const;
  pack::device::GhostSpec spec_of(std::span<const pack::device::ElementArray> arrays) const;
  pack::device::GhostSums sums_of(std::span<const pack::device::ElementArray> arrays, Stream stream);
  pack::device::GhostLink link_of(std::size_t link, const std::int32_t* numbers) const;
  void set_ends(pack::device::GhostLink& link, std::size_t number) const;
  void list_forward();
  void list_reverse(Stream stream);
  void list(exchange::Kind kind, const pack::device::GhostSpec& spec, Stream stream);
  bool has_staged() const;
  void tell_staged(exchange::Kind kind, const pack::device::Tables& tables);
  void describe();

  particles::device::OnGpu on_gpu_;
  PathFacts facts_;
  std::uint64_t first_number_;
  std::size_t num_links_ = 0;
  std::vector<Peer> peers_;
  std::vector<particles::Listing> listings_;
  particles::GhostLanding layout_;
  std::vector<std::byte> handles_[2];      // of this rank's words and landing memory
  exchange::gpu::GpuBuffer retired_;       // landing memory that peers may still have mapped
  exchange::gpu::MappedBuffer words_out_;  // of staged links, as the kernel writes and reads them
  exchange::gpu::MappedBuffer words_in_;
  exchange::gpu::MappedBuffer out_;  // and their messages
  exchange::gpu::MappedBuffer in_;
  exchange::gpu::GpuRoom tables_[2];
  exchange::gpu::MappedRoom images_[2];  // of tables, on their way
  particles::LandedPlaces landed_;
  bool reverses_ = false;                // builds make tables of reverse exchanges too
  bool has_reverse_ = false;             // there are such tables
  Stream own_;                           // for those that are made between builds
  std::unique_ptr<GpuBinding> binding_;  // destroyed before all that its kernels use
};

}  // namespace halyard
