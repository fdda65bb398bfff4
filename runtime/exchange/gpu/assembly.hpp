// GpuAssembly: makes a GpuBinding in steps, as exchange/assembly.hpp does for host memory: whoever carries the ranks'
// bytes to each other stays outside.
//
//   GpuAssembly a(plan, views, surroundings);         checks, allocates landing memory; throws
//   a.open(swap(a.windows()));                        maps what peers show
//   a.decide(swap(a.verdicts()));                     peer or staged, alike at both ends; opens host channels
//   core = a.connect(swap(a.addresses()));
//
// swap() takes one blob per remote neighbor, in the order of remote_ranks(), and answers theirs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/gpu/binding.hpp"
#include "exchange/gpu/layout.hpp"
#include "exchange/gpu/surroundings.hpp"
#include "exchange/gpu/window.hpp"

namespace halyard::exchange::gpu {

/// The GPU that all views lie on. Throws Error(invalid_argument) when they lie on several, or some lie in host memory;
/// answers -1 when all lie in host memory. `device` may be null: then nothing is GPU memory.
int gpu_of(std::span<const FieldView> views, const device::Device* device);

class GpuAssembly {
 public:
  GpuAssembly(Plan plan, std::span<const FieldView> views, GpuSurroundings around);

  std::vector<int> remote_ranks() const;
  std::vector<transport::Blob> windows();
  void open(const std::vector<transport::Blob>& peer_windows);
  std::vector<transport::Blob> verdicts() const;
  void decide(const std::vector<transport::Blob>& peer_verdicts);
  std::vector<transport::Blob> addresses();
  std::unique_ptr<BindingCore> connect(const std::vector<transport::Blob>& peer_addresses);

 private:
  /// One neighbor while it is being put together.
  struct End {
    std::size_t number = 0;  // of the plan's neighbor
    bool is_self = false;
    bool is_staged = false;
    bool is_copied = false;  // staged by copy engines
    bool may_be_direct = false;
    bool tells_sent = false;
    bool takes_packets = false;
    std::string reason;  // why not in a better form
    PeerWindow peer;
    std::unique_ptr<StagedLink> staged;
  };

  void decide(End& end, const transport::Blob& peer_verdict);
  void stage(End& end, const std::string& why);
  std::string why_not_peer(const End& end, const std::string& why) const;
  std::unique_ptr<transport::Channel> open_on_gpu(const HostPath& path, transport::ChannelSpec spec, End& end);
  void open_staged_memory();
  void open_copies();
  void open_sent();
  const std::byte* own_words_memory(const End& end) const;
  void open_stream_waits();
  bool is_gpu_shared() const;
  pack::device::KindSpec spec_of(Kind kind) const;
  pack::device::LinkSpec link_of(const End& end, Kind kind) const;
  void tell_staged(Kind kind, const pack::device::Tables& tables);
  void describe(const pack::device::Tables& forward);

  Plan plan_;
  std::vector<FieldView> views_;
  std::vector<pack::Grid> grids_;
  GpuSurroundings around_;
  int ordinal_ = -1;
  LandingLayout layout_;
  GpuParts parts_;
  std::vector<End> ends_;
};

}  // namespace halyard::exchange::gpu
