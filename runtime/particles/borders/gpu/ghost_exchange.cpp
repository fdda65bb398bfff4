// See ghost_exchange.hpp.
#include "particles/borders/gpu/ghost_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "exchange/gpu/layout.hpp"
#include "exchange/gpu/upload.hpp"
#include "pack/device/kernel.hpp"
#include "particles/borders/borders_core.hpp"
#include "plan/byte_text.hpp"
#include "plan/explain_table.hpp"
#include "transport/blob.hpp"

namespace halyard {

using exchange::Kind;
using exchange::gpu::LandingLayout;
using pack::device::ElementArray;
using pack::device::GhostLink;
using particles::Listing;
using transport::Blob;

namespace {

constexpr Kind kKinds[] = {Kind::forward, Kind::reverse};
enum Shown : std::size_t { kWords, kLanding };

std::uint64_t* words_in(std::byte* memory, std::size_t link) {
  return reinterpret_cast<std::uint64_t*>(memory + LandingLayout::words(link));
}

}  // namespace

/// What a rank tells the other end of a link, after the handles.
struct GpuGhostExchange::Window {
  std::uint64_t words = 0;
  std::uint64_t landing = 0;
  std::uint64_t slot_bytes = 0;
  std::uint64_t awaits_sent = 0;
};

GpuGhostExchange::GpuGhostExchange(BordersCore& borders, const std::vector<std::string>& arrays, const PathFacts& facts,
                                   const particles::device::OnGpu& on_gpu)
    : GhostExchangeCore(borders, arrays),
      on_gpu_(on_gpu),
      facts_(facts),
      first_number_(on_gpu.around.around.binding),
      num_links_(borders.lists().to().size()),
      peers_(num_links_),
      listings_(num_links_),
      layout_(num_links_) {
  pack::device::load_kernels(*on_gpu_.around.device, on_gpu_.ordinal);
  particles::device::load(on_gpu_.gpu()).or_throw();
  Plan made = plan(facts, Memory::gpu);
  auto parts = make_parts(made);
  binding_ = std::make_unique<GpuBinding>(std::move(made), on_gpu_.ordinal, on_gpu_.around, std::move(parts));
  binding_->pause();
  reverses_ = has_staged();  // a message that comes early is held against what is listed
}

GpuGhostExchange::~GpuGhostExchange() {
  if (own_.native != nullptr) on_gpu_.around.device->destroy_stream(own_);
}

bool GpuGhostExchange::has_staged() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.is_staged; });
}

exchange::gpu::GpuParts GpuGhostExchange::make_parts(const Plan& plan) {
  const auto& device = on_gpu_.around.device;
  const std::size_t word_bytes = std::max<std::size_t>(LandingLayout::words(num_links_), 1);
  exchange::gpu::GpuParts parts;
  parts.arena = exchange::gpu::gpu_buffer(device, on_gpu_.ordinal, word_bytes);
  parts.failure = exchange::gpu::mapped_buffer(device, sizeof(pack::device::Failure));
  parts.counters = exchange::gpu::gpu_buffer(device, on_gpu_.ordinal, sizeof(pack::device::Counters));
  words_out_ = exchange::gpu::mapped_buffer(device, word_bytes);
  words_in_ = exchange::gpu::mapped_buffer(device, word_bytes);
  for (std::size_t n = 0; n < num_links_; ++n) {
    const PlanNeighbor& neighbor = plan.neighbors()[n];
    exchange::gpu::GpuLink link;
    link.rank = neighbor.rank;
    link.is_self = neighbor.path == Path::self;
    link.is_staged = !link.is_self && neighbor.path != Path::peer;
    link.own_words = words_in(parts.arena.get(), n);
    link.form = link.is_self ? "copy" : "not listed yet";
    if (link.is_staged) {
      allow_staging(neighbor);
      const auto path = on_gpu_.around.host_path(neighbor.rank);
      if (!path.is_thread_safe) on_gpu_.around.progress = nullptr;
      link.staged = std::make_unique<exchange::gpu::StagedLink>(neighbor.rank, *path.worker, nullptr);
      for (const Refusal& refusal : neighbor.refused)
        if (refusal.path == Path::peer) link.reason = "peer: " + refusal.reason;
    }
    peers_[n].is_staged = link.is_staged;
    parts.links.push_back(std::move(link));
  }
  if (std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return !peer.is_staged; }))
    handles_[kWords] = device->export_memory(parts.arena.get());
  parts.stream_waits = make_stream_waits(parts);
  return parts;
}

// Where ranks share the GPU; else kernels wait.
std::unique_ptr<exchange::gpu::StreamWaits> GpuGhostExchange::make_stream_waits(
    const exchange::gpu::GpuParts& parts) const {
  std::vector<std::uint64_t*> words;
  for (std::size_t n = 0; n < num_links_; ++n) {
    std::byte* memory = peers_[n].is_staged ? words_in_.get() : parts.arena.get();
    if (!parts.links[n].is_self) words.push_back(words_in(memory, n) + pack::device::kSent * pack::device::kWordStride);
  }
  if (words.empty() || !on_gpu_.around.is_shared(on_gpu_.ordinal)) return nullptr;
  return std::make_unique<exchange::gpu::StreamWaits>(on_gpu_.around.device, on_gpu_.ordinal, std::move(words),
                                                      on_gpu_.around.around.wait.deadline_s);
}

void GpuGhostExchange::allow_staging(const PlanNeighbor& neighbor) const {
  if (on_gpu_.around.allow_staging) return;
  std::string reason;
  for (const Refusal& refusal : neighbor.refused)
    if (refusal.path == Path::peer) reason = refusal.reason;
  throw Error(StatusCode::not_supported,
              fmt::format("exchange ghosts on GPU {}: messages to rank {} would be staged through host memory, which "
                          "Options::allow_staging (HALYARD_ALLOW_STAGING) forbids; path peer: {}",
                          on_gpu_.ordinal, neighbor.rank, reason));
}

std::vector<ElementArray> GpuGhostExchange::element_arrays() const {
  std::vector<ElementArray> arrays;
  for (const std::size_t a : arrays_)
    arrays.push_back(particles::device::element_array(borders_.particles(), borders_.roles(), a));
  return arrays;
}

std::int64_t GpuGhostExchange::message_bytes(std::int64_t count) const {
  return pack::device::ghost_sections(element_arrays(), count).back();
}

// ---- memory ---------------------------------------------------------------------------------------------------------

bool GpuGhostExchange::make_room(std::span<const Listing* const> listings) {
  binding_->settle().or_throw();
  binding_->pause();
  retired_.reset();  // by now every peer has mapped what came after it
  std::vector<std::int64_t> bytes;
  for (std::size_t n = 0; n < num_links_; ++n) {
    listings_[n] = *listings[n];
    bytes.push_back(message_bytes(std::max(listings[n]->to->num_elements(), listings[n]->num_received)));
  }
  if (!layout_.fit(bytes) && binding_->parts().landing != nullptr) return false;
  allocate_landing();
  return true;
}

void GpuGhostExchange::allocate_landing() {
  const auto& device = on_gpu_.around.device;
  exchange::gpu::GpuParts& parts = binding_->parts();
  retired_ = std::move(parts.landing);
  parts.landing = nullptr;
  handles_[kLanding].clear();
  out_.reset();
  in_.reset();
  const auto is_staged = [](const Peer& peer) { return peer.is_staged; };
  auto landing = exchange::gpu::gpu_buffer(device, on_gpu_.ordinal, layout_.bytes());
  if (!std::all_of(peers_.begin(), peers_.end(), is_staged)) handles_[kLanding] = device->export_memory(landing.get());
  if (has_staged()) {
    out_ = exchange::gpu::mapped_buffer(device, layout_.bytes());
    in_ = exchange::gpu::mapped_buffer(device, layout_.bytes());
  }
  parts.landing = std::move(landing);
}

Blob GpuGhostExchange::window(std::size_t link) const {
  Blob blob;
  for (const auto& handle : handles_) transport::append_bytes(blob, peers_[link].is_staged ? Blob{} : handle);
  transport::append(blob, Window{LandingLayout::words(link), layout_.place(link), layout_.slot_bytes(),
                                 on_gpu_.around.is_shared(on_gpu_.ordinal) ? 1U : 0U});
  return blob;
}

bool GpuGhostExchange::prepare(std::size_t link, const Listing& listing, std::span<const std::byte> their_window) {
  Peer& peer = peers_[link];
  transport::BlobReader reader(their_window);
  for (std::size_t shown : {kWords, kLanding}) {
    const auto handle = reader.read_bytes();
    if (peer.is_staged ||
        std::equal(handle.begin(), handle.end(), peer.handles[shown].begin(), peer.handles[shown].end()))
      continue;
    peer.mapped[shown].reset();
    peer.handles[shown].clear();
    if (handle.empty()) continue;  // it has trouble, and will say so
    peer.mapped[shown] = on_gpu_.around.device->open(handle, on_gpu_.ordinal);
    peer.handles[shown].assign(handle.begin(), handle.end());
  }
  peer.is_closed = !peer.is_staged && peer.handles[kLanding].empty();
  const auto window = reader.read<Window>();
  peer.words = window.words;
  peer.landing = window.landing;
  peer.slot_bytes = window.slot_bytes;
  peer.awaits_sent = window.awaits_sent != 0;
  return peer.is_staged &&
         message_bytes(std::max(listing.to->num_elements(), listing.num_received)) > peer.channel_bytes;
}

// ---- staged links ---------------------------------------------------------------------------------------------------

Blob GpuGhostExchange::open(std::size_t number) {
  Peer& peer = peers_[number];
  exchange::gpu::GpuLink& link = binding_->parts().links[number];
  if (peer.generation >= kNumbers)
    throw Error(StatusCode::out_of_resources,
                "open a channel of ghosts: it was replaced 64 times; give Particles a "
                "capacity for what is to come, or allow a path that needs no host");
  transport::ChannelSpec spec;
  spec.peer = link.rank;
  spec.binding = first_number_ + peer.generation++;
  spec.send_bytes = spec.receive_bytes = layout_.capacity(number);
  auto before = link.staged->replace_channel(link.staged->worker().open(spec));
  const auto& retire = on_gpu_.around.around.retire;
  if (before != nullptr && !before->is_quiet() && retire) retire(std::move(before));
  return link.staged->channel().address();
}

void GpuGhostExchange::connect(std::size_t number, std::span<const std::byte> their_address) {
  binding_->parts().links[number].staged->channel().connect(their_address);
  peers_[number].channel_bytes = layout_.capacity(number);
}

void GpuGhostExchange::tell_staged(Kind kind, const pack::device::Tables& tables) {
  const bool is_forward = kind == Kind::forward;
  for (std::size_t n = 0; n < num_links_; ++n) {
    if (!peers_[n].is_staged) continue;
    const std::int64_t num_out = is_forward ? listings_[n].to->num_elements() : listings_[n].num_received;
    const std::int64_t num_in = is_forward ? listings_[n].num_received : listings_[n].to->num_elements();
    exchange::gpu::StagedLink& link = *binding_->parts().links[n].staged;
    exchange::gpu::StagedKind what;
    what.send_bytes = message_bytes(num_out);
    what.receive_bytes = message_bytes(num_in);
    what.send_hash = hash_of(listings_[n], num_out, is_forward);
    what.receive_hash = hash_of(listings_[n], num_in, is_forward);
    what.num_send_chunks = tables.traffic[n].num_send_chunks;
    link.set_kind(kind, what);
    const auto side = [&](std::byte* landing, std::byte* words) {
      return exchange::gpu::HostSide{landing + layout_.place(n), layout_.slot_bytes(), words_in(words, n)};
    };
    link.set_sides(side(out_.get(), words_out_.get()), side(in_.get(), words_in_.get()));
  }
}

// ---- tables ---------------------------------------------------------------------------------------------------------

void GpuGhostExchange::finish_preparing() {
  if (std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.is_closed; })) return;
  list_forward();
  has_reverse_ = false;
  if (reverses_) list_reverse({});
  describe();
}

// In a stream of its own: the caller's may be recorded into a graph, of which this is no part.
void GpuGhostExchange::prepare_to_reverse() {
  if (has_reverse_) return;
  try {
    const auto& device = on_gpu_.around.device;
    if (own_.native == nullptr) own_ = device->create_stream(on_gpu_.ordinal);
    list_reverse(own_);
    device->synchronize(own_, on_gpu_.ordinal).or_throw();
    reverses_ = true;
  } catch (const Error& error) {
    binding_->fail(error.status());
  }
}

void GpuGhostExchange::list_forward() {
  const auto arrays = element_arrays();
  list(Kind::forward, spec_of(arrays), {});
}

// Arrays that may not be reduced are refused when that is tried.
void GpuGhostExchange::list_reverse(Stream stream) {
  const auto arrays = element_arrays();
  binding_->parts().why_no_reverse.clear();
  try {
    pack::device::GhostSpec spec = spec_of(arrays);
    spec.reduces = true;
    spec.sums = sums_of(arrays, stream);
    list(Kind::reverse, spec, stream);
  } catch (const Error& error) {
    if (error.status().code() != StatusCode::invalid_argument) throw;
    binding_->parts().why_no_reverse = error.what();
  }
  has_reverse_ = true;
}

void GpuGhostExchange::list(Kind kind, const pack::device::GhostSpec& spec, Stream stream) {
  const auto k = static_cast<std::size_t>(kind);
  const auto tables = pack::device::compile(spec);
  tell_staged(kind, tables);
  auto& device = on_gpu_.around.device;
  const std::size_t bytes = exchange::gpu::bytes_of(tables);
  std::byte* memory = tables_[k].fit(device, on_gpu_.ordinal, bytes);
  std::byte* image = images_[k].fit(device, on_gpu_.ordinal, bytes);
  exchange::gpu::GpuParts& parts = binding_->parts();
  parts.launches[k] = exchange::gpu::upload_in(stream, memory, image, tables, *device, on_gpu_.ordinal);
  parts.launches[k].counters = reinterpret_cast<pack::device::Counters*>(parts.counters.get());
  parts.launches[k].failure = reinterpret_cast<pack::device::Failure*>(parts.failure.get());
  parts.launches[k].deadline_ns = static_cast<std::uint64_t>(on_gpu_.around.around.wait.deadline_s * 1e9);
}

pack::device::GhostSpec GpuGhostExchange::spec_of(std::span<const ElementArray> arrays) const {
  pack::device::GhostSpec spec;
  spec.arrays = arrays;
  const std::int32_t* numbers = borders_.device_lists().numbers();
  for (std::size_t n = 0; n < num_links_; ++n) {
    spec.links.push_back(link_of(n, numbers));
    numbers += spec.links.back().num_sent();
  }
  return spec;
}

pack::device::GhostSums GpuGhostExchange::sums_of(std::span<const ElementArray> arrays, Stream stream) {
  particles::DeviceLists& lists = borders_.device_lists();
  std::vector<particles::LandedPlaces::From> links;
  std::int64_t count = 0;
  for (std::size_t n = 0; n < num_links_; ++n) {
    const std::byte* landing = peers_[n].is_staged ? in_.get() : binding_->parts().landing.get();
    links.push_back({listings_[n].to->num_elements(), pack::place_of(landing) + layout_.place(n)});
    count += links.back().count;
  }
  return {lists.numbers(), lists.chain(stream), landed_.list(on_gpu_, stream, arrays, links), count};
}

GhostLink GpuGhostExchange::link_of(std::size_t number, const std::int32_t* numbers) const {
  const Listing& listing = listings_[number];
  GhostLink link;
  link.link = static_cast<std::uint32_t>(number);
  link.is_self = binding_->parts().links[number].is_self;
  link.numbers = numbers;
  link.first_ghost = listing.first;
  for (std::size_t g = 0; g < listing.to->groups.size(); ++g) {
    const Point3& shift = listing.to->groups[g].shift;  // of theirs, seen from here
    link.sends.push_back({listing.to->counts[g], {-shift[0], -shift[1], -shift[2]}});
  }
  for (std::size_t g = 0; g < listing.num_groups; ++g) link.receives.push_back({listing.groups[g].count, {}});
  set_ends(link, number);
  return link;
}

void GpuGhostExchange::set_ends(GhostLink& link, std::size_t number) const {
  const Peer& peer = peers_[number];
  exchange::gpu::GpuParts& parts = binding_->parts();
  const auto landing = [&](const std::byte* memory) {
    return pack::device::Landing{pack::place_of(memory) + layout_.place(number), layout_.slot_bytes()};
  };
  link.own_landing = landing(peer.is_staged ? in_.get() : parts.landing.get());
  link.own_words = words_in(peer.is_staged ? words_in_.get() : parts.arena.get(), number);
  if (link.is_self) {
    link.peer_landing = link.own_landing;
    link.peer_words = link.own_words;
  } else if (peer.is_staged) {
    link.peer_landing = landing(out_.get());
    link.peer_words = words_in(words_out_.get(), number);
    link.always_signals = true;
  } else {
    link.peer_landing = {pack::place_of(peer.mapped[kLanding]->data()) + peer.landing, peer.slot_bytes};
    link.peer_words = reinterpret_cast<std::uint64_t*>(peer.mapped[kWords]->data() + peer.words);
    link.tells_sent = peer.awaits_sent;
  }
}

// ---- words ----------------------------------------------------------------------------------------------------------

void GpuGhostExchange::describe() {
  for (std::size_t n = 0; n < num_links_; ++n) {
    exchange::gpu::GpuLink& link = binding_->parts().links[n];
    if (link.is_self) continue;
    link.form =
        link.is_staged ? fmt::format("staged over {}", halyard::name_of(link.staged->worker().path())) : "landing";
  }
}

std::string GpuGhostExchange::explain() {
  std::vector<plan::Form> forms;
  for (const exchange::gpu::GpuLink& link : binding_->parts().links) forms.push_back({link.form, link.reason});
  std::vector<std::array<std::int64_t, 2>> num_elements;
  for (const Listing& listing : listings_)
    num_elements.push_back({listing.to == nullptr ? 0 : listing.to->num_elements(), listing.num_received});
  std::string text = plan::explain_table(plan(facts_, Memory::gpu, num_elements), forms);
  text += fmt::format(
      "  particles on GPU {}: {}; {} staged through host memory so far; a build takes counts through host memory, a "
      "migration the records of those who move to other ranks\n",
      on_gpu_.ordinal, on_gpu_.around.device->describe(on_gpu_.ordinal),
      plan::byte_text(static_cast<std::int64_t>(binding_->staged_bytes())));
  if (binding_->parts().stream_waits != nullptr) text += on_gpu_.around.sharing_text(on_gpu_.ordinal);
  return text;
}

}  // namespace halyard
