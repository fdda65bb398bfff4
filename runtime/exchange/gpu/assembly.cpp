// See assembly.hpp.
#include "exchange/gpu/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/log.hpp"
#include "exchange/gpu/upload.hpp"
#include "exchange/view_check.hpp"
#include "pack/device/kernel.hpp"
#include "plan/byte_text.hpp"
#include "transport/blob.hpp"

namespace halyard::exchange::gpu {
namespace {

using pack::device::KindSpec;
using pack::device::LinkSpec;
using transport::Blob;

constexpr Kind kKinds[] = {Kind::forward, Kind::reverse};

bool is_gpu_memory(device::MemoryKind kind) {
  return kind == device::MemoryKind::device || kind == device::MemoryKind::managed;
}

// What a rank tells the other end of a link after it has tried to map its memory.
struct Verdict {
  bool has_landing = false;
  bool has_fields = false;
  bool has_whole_lines = false;
  bool is_gpu_shared = false;  // its stream waits for what is sent
  std::string why;
};

Blob blob_of(const Verdict& verdict) {
  Blob blob;
  transport::append(blob, static_cast<std::uint64_t>(verdict.has_landing));
  transport::append(blob, static_cast<std::uint64_t>(verdict.has_fields));
  transport::append(blob, static_cast<std::uint64_t>(verdict.has_whole_lines));
  transport::append(blob, static_cast<std::uint64_t>(verdict.is_gpu_shared));
  transport::append_text(blob, verdict.why);
  return blob;
}

Verdict verdict_in(const Blob& blob) {
  transport::BlobReader reader(blob);
  Verdict verdict;
  verdict.has_landing = reader.read<std::uint64_t>() != 0;
  verdict.has_fields = reader.read<std::uint64_t>() != 0;
  verdict.has_whole_lines = reader.read<std::uint64_t>() != 0;
  verdict.is_gpu_shared = reader.read<std::uint64_t>() != 0;
  verdict.why = reader.read_text();
  return verdict;
}

Verdict verdict_on(const PeerWindow& window, bool is_gpu_shared) {
  return {window.has_landing, window.has_fields, window.has_whole_lines, is_gpu_shared,
          window.has_landing ? window.why_no_fields : window.why_no_landing};
}

}  // namespace

int gpu_of(std::span<const FieldView> views, const device::Device* device) {
  int gpu = -1;
  const FieldView* first = nullptr;
  bool has_host = false;
  for (const FieldView& view : views) {
    const auto bytes = span_of(view);
    if (bytes.empty()) continue;
    const device::MemoryFacts facts = device == nullptr ? device::MemoryFacts{} : device->facts_of(bytes.data());
    if (!is_gpu_memory(facts.kind)) {
      has_host = true;
    } else if (gpu >= 0 && facts.ordinal != gpu) {
      throw Error(StatusCode::invalid_argument,
                  fmt::format("bind fields '{}' and '{}': they lie on GPUs {} and {}; make one binding per GPU",
                              first->name, view.name, gpu, facts.ordinal));
    } else {
      gpu = facts.ordinal;
      first = &view;
    }
    if (is_gpu_memory(facts.kind) && facts.base + facts.bytes < pack::place_of(bytes.data()) + bytes.size())
      throw Error(
          StatusCode::invalid_argument,
          fmt::format("bind field '{}': it reaches {} bytes past the end of its allocation of {} bytes", view.name,
                      pack::place_of(bytes.data()) + bytes.size() - facts.base - facts.bytes, facts.bytes));
  }
  if (gpu >= 0 && has_host)
    throw Error(StatusCode::invalid_argument,
                fmt::format("bind fields: '{}' lies on GPU {}, others in host memory; make one binding for each kind",
                            first->name, gpu));
  return gpu;
}

GpuAssembly::GpuAssembly(Plan plan, std::span<const FieldView> views, GpuSurroundings around)
    : plan_(std::move(plan)), views_(views.begin(), views.end()), around_(std::move(around)) {
  check_views(plan_, views_);
  ordinal_ = gpu_of(views_, around_.device.get());
  if (ordinal_ < 0) ordinal_ = around_.home_gpu;
  for (const FieldView& view : views_) grids_.push_back(pack::grid_of(view));
  pack::device::load_kernels(*around_.device, ordinal_);
  layout_ = LandingLayout::of(plan_);
  parts_.arena = gpu_buffer(around_.device, ordinal_, std::max<std::size_t>(layout_.bytes, 1));
  for (std::size_t i = 0; i < plan_.neighbors().size(); ++i) {
    const PlanNeighbor& neighbor = plan_.neighbors()[i];
    End end;
    end.number = i;
    end.is_self = neighbor.path == Path::self;
    ends_.push_back(std::move(end));
  }
}

std::vector<int> GpuAssembly::remote_ranks() const {
  std::vector<int> ranks;
  for (const PlanNeighbor& neighbor : plan_.neighbors())
    if (neighbor.path != Path::self) ranks.push_back(neighbor.rank);
  return ranks;
}

std::vector<Blob> GpuAssembly::windows() {
  std::vector<Blob> blobs;
  for (const End& end : ends_) {
    if (end.is_self) continue;
    OwnWindow own;
    if (plan_.neighbors()[end.number].path == Path::peer) {
      own.arena = parts_.arena.get();
      own.words_offset = LandingLayout::words(end.number);
      own.landing_offset = layout_.landing[end.number];
      own.slot_bytes = layout_.slot_bytes;
      own.views = views_;
    }
    blobs.push_back(window_of(own, *around_.device));
  }
  return blobs;
}

void GpuAssembly::open(const std::vector<Blob>& peer_windows) {
  auto window = peer_windows.begin();
  for (End& end : ends_) {
    if (end.is_self) continue;
    end.peer = open_window(*window++, *around_.device, ordinal_);
    parts_.mappings.insert(parts_.mappings.end(), end.peer.mappings.begin(), end.peer.mappings.end());
  }
}

std::vector<Blob> GpuAssembly::verdicts() const {
  std::vector<Blob> blobs;
  for (const End& end : ends_)
    if (!end.is_self) blobs.push_back(blob_of(verdict_on(end.peer, is_gpu_shared())));
  return blobs;
}

void GpuAssembly::decide(const std::vector<Blob>& peer_verdicts) {
  auto verdict = peer_verdicts.begin();
  for (End& end : ends_)
    if (!end.is_self) decide(end, *verdict++);
  open_staged_memory();
}

void GpuAssembly::decide(End& end, const Blob& peer_verdict) {
  const Verdict mine = verdict_on(end.peer, is_gpu_shared());
  const Verdict theirs = verdict_in(peer_verdict);
  const std::string why = !mine.why.empty() ? mine.why : theirs.why;
  if (!mine.has_landing || !theirs.has_landing) return stage(end, why);
  end.tells_sent = theirs.is_gpu_shared;
  end.takes_packets = mine.has_whole_lines && theirs.has_whole_lines;
  end.may_be_direct = mine.has_fields && theirs.has_fields;
  if (!end.may_be_direct) end.reason = "direct: " + why;
  if (!mine.is_gpu_shared && !theirs.is_gpu_shared) return;
  end.may_be_direct = false;  // one kernel would wait for another that cannot run beside it
  end.reason = fmt::format("direct: ranks share {} GPU and take turns on it", mine.is_gpu_shared ? "this" : "its");
}

std::string GpuAssembly::why_not_peer(const End& end, const std::string& why) const {
  if (!why.empty()) return why;
  for (const Refusal& refusal : plan_.neighbors()[end.number].refused)
    if (refusal.path == Path::peer) return refusal.reason;
  return {};
}

// The host drives these messages. They lie in GPU memory where the path's NIC reaches it, else they are staged.
void GpuAssembly::stage(End& end, const std::string& why) {
  const PlanNeighbor& neighbor = plan_.neighbors()[end.number];
  const HostPath path = around_.host_path(neighbor.rank);
  end.reason = "peer: " + why_not_peer(end, why);
  transport::ChannelSpec spec;
  spec.peer = neighbor.rank;
  spec.binding = around_.around.binding;
  spec.send_bytes = spec.receive_bytes = std::max(neighbor.send.bytes, neighbor.receive.bytes);
  auto channel = open_on_gpu(path, spec, end);
  const bool is_on_gpu = channel != nullptr;
  end.is_copied = !is_on_gpu && spec.send_bytes > around_.most_mapped_bytes;
  if (!is_on_gpu && !around_.allow_staging)
    throw Error(StatusCode::not_supported,
                fmt::format("bind fields on GPU {}: messages to rank {} would be staged through host memory, which "
                            "Options::allow_staging (HALYARD_ALLOW_STAGING) forbids; path {}",
                            ordinal_, neighbor.rank, end.reason));
  spec.whole_pages = end.is_copied;
  if (!is_on_gpu) channel = path.worker->open(spec);
  end.staged = std::make_unique<StagedLink>(neighbor.rank, *path.worker, std::move(channel));
  if (is_on_gpu) end.staged->set_on_gpu(*around_.device, ordinal_);
  end.is_staged = true;
  if (!path.is_thread_safe) {
    around_.progress = nullptr;
    end.reason += "; the caller drives it, since MPI_THREAD_MULTIPLE was not asked for";
  }
}

// Null, with the reason in `end`, where the NIC cannot reach GPU memory.
std::unique_ptr<transport::Channel> GpuAssembly::open_on_gpu(const HostPath& path, transport::ChannelSpec spec,
                                                             End& end) {
  std::string why = path.worker->why_no_gpu_slots();
  try {
    if (why.empty()) {
      open_sent();
      const std::size_t landing = layout_.landing[end.number];
      spec.on_gpu = {parts_.sent.get() + landing, parts_.arena.get() + landing, layout_.slot_bytes};
      return path.worker->open(spec);
    }
  } catch (const Error& error) {
    if (error.code() != StatusCode::not_supported && error.code() != StatusCode::out_of_resources) throw;
    why = error.status().text();
  }
  const auto name = halyard::name_of(path.worker->path());
  end.reason += fmt::format("; GPU memory over {}: {}", name, why);
  return nullptr;
}

void GpuAssembly::open_staged_memory() {
  if (std::none_of(ends_.begin(), ends_.end(), [](const End& end) { return end.is_staged; })) return;
  parts_.out = mapped_buffer(around_.device, layout_.bytes);
  parts_.in = mapped_buffer(around_.device, layout_.bytes);
  const auto side = [&](const MappedBuffer& memory, std::size_t link) {
    return HostSide{memory.get() + layout_.landing[link], layout_.slot_bytes,
                    reinterpret_cast<std::uint64_t*>(memory.get() + LandingLayout::words(link))};
  };
  for (End& end : ends_)
    if (end.is_staged) end.staged->set_sides(side(parts_.out, end.number), side(parts_.in, end.number));
}

// Once channels are connected, and their buffers known.
void GpuAssembly::open_copies() {
  std::shared_ptr<CopyStreams> streams;
  for (End& end : ends_) {
    if (!end.is_copied) continue;
    open_sent();
    if (streams == nullptr) streams = std::make_shared<CopyStreams>(around_.device, ordinal_);
    const std::size_t landing = layout_.landing[end.number];
    const std::size_t words = LandingLayout::words(end.number);
    const GpuSide gpu{parts_.sent.get() + landing, parts_.arena.get() + landing, layout_.slot_bytes,
                      reinterpret_cast<std::uint64_t*>(parts_.arena.get() + words)};
    const StopOver stop_over{parts_.out.get() + landing, parts_.in.get() + landing, layout_.slot_bytes,
                             reinterpret_cast<std::uint64_t*>(parts_.in.get() + words)};
    auto copies = std::make_unique<StagedCopies>(streams, gpu, stop_over);
    if (const std::string why = copies->pin(end.staged->channel().buffers()); !why.empty())
      end.reason += "; messages stop over in other host memory: " + why;
    end.staged->set_copies(std::move(copies));
  }
}

void GpuAssembly::open_sent() {
  if (parts_.sent == nullptr) parts_.sent = gpu_buffer(around_.device, ordinal_, layout_.bytes);
}

// Words of staged links lie where the host stores them.
const std::byte* GpuAssembly::own_words_memory(const End& end) const {
  return end.is_staged && !end.is_copied ? parts_.in.get() : parts_.arena.get();
}

std::vector<Blob> GpuAssembly::addresses() {
  std::vector<Blob> blobs;
  for (End& end : ends_)
    if (!end.is_self) blobs.push_back(end.is_staged ? end.staged->channel().address() : Blob{});
  return blobs;
}

std::unique_ptr<BindingCore> GpuAssembly::connect(const std::vector<Blob>& peer_addresses) {
  auto address = peer_addresses.begin();
  for (End& end : ends_) {
    if (end.is_self) continue;
    if (end.is_staged) end.staged->channel().connect(*address);
    ++address;
  }
  open_copies();
  parts_.failure = mapped_buffer(around_.device, sizeof(pack::device::Failure));
  const auto num_claims = static_cast<std::uint32_t>(ends_.size());
  parts_.counters =
      gpu_buffer(around_.device, ordinal_, sizeof(pack::device::Counters) + num_claims * sizeof(std::uint32_t));
  for (const Kind kind : kKinds) {
    const auto k = static_cast<std::size_t>(kind);
    pack::device::Tables tables;
    try {
      tables = pack::device::compile(spec_of(kind));
    } catch (const Error& error) {
      if (kind == Kind::forward) throw;
      parts_.why_no_reverse = error.what();
      base::log_warn(parts_.why_no_reverse);
      continue;
    }
    tell_staged(kind, tables);
    if (kind == Kind::forward) describe(tables);
    Uploaded uploaded = upload(tables, around_.device, ordinal_);
    parts_.tables[k] = std::move(uploaded.memory);
    parts_.launches[k] = uploaded.launch;
    parts_.launches[k].counters = reinterpret_cast<pack::device::Counters*>(parts_.counters.get());
    parts_.launches[k].claims = reinterpret_cast<std::uint32_t*>(parts_.launches[k].counters + 1);
    parts_.launches[k].num_claims = uploaded.launch.num_bulk > 0 ? num_claims : 0;
    parts_.launches[k].failure = reinterpret_cast<pack::device::Failure*>(parts_.failure.get());
    parts_.launches[k].deadline_ns = static_cast<std::uint64_t>(around_.around.wait.deadline_s * 1e9);
  }
  open_stream_waits();
  for (End& end : ends_) parts_.links[end.number].staged = std::move(end.staged);
  return std::make_unique<GpuBinding>(std::move(plan_), ordinal_, std::move(around_), std::move(parts_));
}

bool GpuAssembly::is_gpu_shared() const { return around_.is_shared(ordinal_); }

void GpuAssembly::open_stream_waits() {
  if (!is_gpu_shared()) return;
  std::vector<std::uint64_t*> words;
  for (const End& end : ends_) {
    if (end.is_self) continue;
    auto* own = const_cast<std::byte*>(own_words_memory(end)) + LandingLayout::words(end.number);
    words.push_back(reinterpret_cast<std::uint64_t*>(own) + pack::device::kSent * pack::device::kWordStride);
  }
  if (words.empty()) return;
  parts_.stream_waits =
      std::make_unique<StreamWaits>(around_.device, ordinal_, std::move(words), around_.around.wait.deadline_s);
}

void GpuAssembly::tell_staged(Kind kind, const pack::device::Tables& tables) {
  auto traffic = tables.traffic.begin();
  for (End& end : ends_) {
    if (end.is_self && kind == Kind::forward) continue;  // compiled apart, it is no link
    if (end.is_staged) end.staged->set_kind(kind, staged_kind(plan_.neighbors()[end.number], kind, *traffic));
    ++traffic;
  }
}

KindSpec GpuAssembly::spec_of(Kind kind) const {
  KindSpec spec;
  spec.fields = plan_.fields();
  spec.grids = grids_;
  spec.num_patches = plan_.pattern().patches.size();
  spec.reduces = kind == Kind::reverse;
  for (const End& end : ends_) {
    if (end.is_self && kind == Kind::forward) {
      spec.self = plan_.pattern().neighbors[end.number].receives;
    } else {
      spec.links.push_back(link_of(end, kind));
    }
  }
  return spec;
}

LinkSpec GpuAssembly::link_of(const End& end, Kind kind) const {
  const PatternNeighbor& cells = plan_.pattern().neighbors[end.number];
  const PlanNeighbor& messages = plan_.neighbors()[end.number];
  const bool is_forward = kind == Kind::forward;
  LinkSpec link;
  link.link = static_cast<std::uint32_t>(end.number);
  link.sends = is_forward ? cells.sends : cells.receives;
  link.send_layout = is_forward ? &messages.send : &messages.receive;
  link.receives = is_forward ? cells.receives : cells.sends;
  link.receive_layout = is_forward ? &messages.receive : &messages.send;
  auto* own = const_cast<std::byte*>(own_words_memory(end));
  link.own_words = reinterpret_cast<std::uint64_t*>(own + LandingLayout::words(end.number));
  const bool lies_on_gpu = end.is_staged && (end.is_copied || end.staged->is_on_gpu());
  const std::byte* own_slots = lies_on_gpu ? parts_.arena.get() : own;
  link.own_landing = {pack::place_of(own_slots + layout_.landing[end.number]), layout_.slot_bytes};
  if (end.is_self) {
    link.peer_words = link.own_words;
    link.peer_landing = link.own_landing;
  } else if (end.is_staged) {
    link.peer_words = reinterpret_cast<std::uint64_t*>(parts_.out.get() + LandingLayout::words(end.number));
    const std::byte* slots = lies_on_gpu ? parts_.sent.get() : parts_.out.get();
    link.peer_landing = {pack::place_of(slots + layout_.landing[end.number]), layout_.slot_bytes};
    link.always_signals = true;
  } else {
    link.peer_words = end.peer.words;
    link.peer_landing = {end.peer.landing, end.peer.slot_bytes};
    link.peer_grids = end.peer.grids;
    link.peer_patches = end.peer.grids.size() / std::max<std::size_t>(plan_.fields().size(), 1);
    link.may_be_direct = is_forward && end.may_be_direct;
    link.tells_sent = end.tells_sent;
    link.is_acknowledged = end.takes_packets;
    link.takes_packets = is_forward && end.takes_packets &&
                         std::min(alignment_of(views_), end.peer.alignment) >= pack::device::kPacketWordBytes;
  }
  return link;
}

void GpuAssembly::describe(const pack::device::Tables& forward) {
  std::size_t link = 0;
  for (const End& end : ends_) {
    GpuLink& known = parts_.links.emplace_back();
    known.rank = plan_.neighbors()[end.number].rank;
    known.is_self = end.is_self;
    known.is_staged = end.is_staged;
    known.reason = end.reason;
    known.own_words = reinterpret_cast<const std::uint64_t*>(parts_.arena.get() + LandingLayout::words(end.number));
    if (end.is_self) {
      known.form = "copy";
      continue;
    }
    const auto& traffic = forward.traffic[link++];
    if (end.is_staged)
      known.form = fmt::format("{} over {}{}", end.staged->is_on_gpu() ? "GPU memory" : "staged",
                               halyard::name_of(end.staged->worker().path()), end.is_copied ? " by copy engines" : "");
    else if (traffic.landed_bytes == 0 && traffic.direct_bytes > 0)
      known.form = "direct";
    else if (traffic.direct_bytes == 0)
      known.form = "landing";
    else
      known.form = fmt::format("direct {}", plan::byte_text(traffic.direct_bytes));
  }
}

}  // namespace halyard::exchange::gpu
