// See compile.hpp. A message is cut into chunks alike at both ends: chunk k of K takes cells [C k / K, C (k + 1) / K)
// of each of its C-cell sections, rounded so that cuts fall on 16 bytes. All sections move on together, so that the two
// faces across the fastest axis, which share cache lines and pages, are read and written at the same time.
#include "pack/device/compile.hpp"

#include <algorithm>
#include <deque>

#include "halyard/status.hpp"
#include "pack/device/chunks.hpp"
#include "pack/device/runs.hpp"

namespace halyard::pack::device {
namespace {

constexpr std::int64_t kBulkTileBytes = 8192;  // one bulk copy
constexpr std::int64_t kMaxBulkWorkers = 64;   // of a link
constexpr std::uint32_t kMaxOwnChunks = 132;   // of what a rank copies within its own fields

std::uint32_t num_bulk_workers_of(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes / (2 * kBulkTileBytes), 1, kMaxBulkWorkers));
}

class Compilation {
 public:
  explicit Compilation(const KindSpec& spec) : spec_(spec) {
    tables_.reduces = spec.reduces;
    tables_.traffic.resize(spec.links.size());
  }

  Tables run() {
    add_self();
    const bool sums = spec_.reduces && targets_overlap();
    for (std::size_t i = 0; i < spec_.links.size(); ++i) {
      add_sends(i);
      if (sums)
        add_wait(spec_.links[i]);
      else
        add_receives(spec_.links[i]);
      tables_.consumed.push_back(spec_.links[i].peer_words + kConsumed * kWordStride);
      if (spec_.links[i].tells_sent) tables_.sent.push_back(spec_.links[i].peer_words + kSent * kWordStride);
    }
    if (sums) {
      tables_.num_common_waits = static_cast<std::uint32_t>(receive_.size());
      add_sums();
    }
    return finished();
  }

 private:
  struct Split {
    std::vector<Section> direct;
    std::vector<Section> landed;
    std::int64_t direct_bytes = 0;
    std::int64_t landed_bytes = 0;
    bool as_packets = false;

    void land(const Section& s) {
      landed.push_back(s);
      landed_bytes += s.bytes();
    }
    void send_directly(const Section& s) {
      direct.push_back(s);
      direct_bytes += s.bytes();
    }
  };

  // What of a message goes straight into ghosts: decided alike by sender and receiver. Packets beat direct copies,
  // which wait for the word `ready`, as far as they go.
  Split split(const LinkSpec& link, bool is_send) {
    Split split;
    const auto pieces = is_send ? link.sends : link.receives;
    if (pieces.empty()) return split;
    const auto sections = sections_of(pieces, spec_.fields, is_send ? *link.send_layout : *link.receive_layout);
    const auto is_odd = [](const Section& s) { return s.element_bytes() % kPacketWordBytes != 0; };
    split.as_packets = link.takes_packets && message_bytes(link, is_send) <= kMostBytesAsPackets &&
                       std::none_of(sections.begin(), sections.end(), is_odd);
    for (const Section& s : sections) {
      if (s.bytes() == 0) continue;
      if (split.as_packets || !link.may_be_direct)
        split.land(s);
      else
        for (const Section& part : trimmed(s, own(s), peers(link, s), pieces_)) {
          if (suits_bulk(part, own(part), peers(link, part)))
            split.send_directly(part);
          else
            split.land(part);
        }
    }
    split.as_packets = split.as_packets && split.landed_bytes > 0;
    return split;
  }

  static std::int64_t message_bytes(const LinkSpec& link, bool is_send) {
    return (is_send ? link.send_layout : link.receive_layout)->bytes;
  }

  static std::uint32_t landed_chunks(const LinkSpec& link, const Split& what) {
    if (what.as_packets) return num_packet_chunks_of(what.landed_bytes);
    if (link.always_signals && what.landed_bytes <= kMostBytesOfOneBlock) return 1;
    return num_chunks_of(what.landed_bytes);
  }

  Place3 own(const Section& s) const { return in_field(s, spec_.grids, spec_.num_patches, Side::here); }
  Place3 there(const Section& s) const { return in_field(s, spec_.grids, spec_.num_patches, Side::there); }
  Place3 peers(const LinkSpec& link, const Section& s) const {
    return in_field(s, link.peer_grids, link.peer_patches, Side::there);
  }

  std::int64_t unit_limit(const Section& s) const {
    return spec_.reduces ? static_cast<std::int64_t>(bytes_of(s.field->element.scalar)) : 16;
  }

  std::vector<Part> parts(const Section& s, const Place3& source, const Place3& target, std::int64_t limit) {
    return parts_of(s, source, target, limit, tables_.offsets);
  }

  // By all threads: bulk copies, a row in flight for each stage of a worker, do no better within a GPU (docs/adr/0044).
  void add_self() {
    std::vector<std::vector<Part>> all;
    std::int64_t bytes = 0;
    MessageLayout none;
    none.offsets.resize(spec_.self.size() * spec_.fields.size());
    for (const Section& whole : sections_of(spec_.self, spec_.fields, none)) {
      if (whole.bytes() == 0) continue;
      bytes += whole.bytes();
      for (const Section& s : trimmed(whole, there(whole), own(whole), pieces_))
        all.push_back(parts(s, there(s), own(s), 16));
    }
    append_chunks(all, std::min(num_chunks_of(bytes), kMaxOwnChunks), {}, send_);
  }

  void add_sends(std::size_t number) {
    const LinkSpec& link = spec_.links[number];
    const Split what = split(link, true);
    const std::uint32_t num_chunks = landed_chunks(link, what);
    LinkTraffic& traffic = tables_.traffic[number];
    traffic.direct_bytes = what.direct_bytes;
    traffic.landed_bytes = what.landed_bytes;
    traffic.num_send_chunks = num_chunks;
    traffic.num_receive_chunks = landed_chunks(link, split(link, false));
    std::vector<std::vector<Part>> landed;
    for (const Section& s : what.landed) {
      const std::int64_t limit = what.as_packets ? std::int64_t{kPacketWordBytes} : 16;
      landed.push_back(parts(s, own(s), in_message(s, link.peer_landing.address, link.peer_landing.slot_bytes), limit));
      if (what.as_packets) make_packets(landed.back(), s, packets_at(link, link.peer_landing), Packets::sent);
    }
    Chunk like;
    like.words = link.own_words;
    like.signal = link.peer_words + kFirstArrived * kWordStride;
    like.link = link.link;
    like.wait = kConsumed;
    like.lag = link.always_signals ? 1 : 2;  // the host must see each message's words before the next one's
    if (what.as_packets) like.signal = nullptr;
    append_chunks(landed, num_chunks, like, send_);
    like.signal = link.peer_words + (kFirstArrived + (what.as_packets ? 0 : num_chunks)) * kWordStride;
    like.wait = kReady;
    like.lag = 0;
    add_bulk(link, what, like);
    if (!split(link, false).direct.empty()) tables_.ready.push_back(link.peer_words + kReady * kWordStride);
  }

  // The message's end of packets is addressed by unit. A message this small has one part a section.
  static void make_packets(std::vector<Part>& parts, const Section& s, std::uint64_t first, Packets packets) {
    for (Part& part : parts) {
      const std::uint64_t place =
          first + static_cast<std::uint64_t>(first_packet_of(s.message_offset, s.number)) * kPacketBytes;
      (packets == Packets::sent ? part.run.target : part.run.source) = place;
      part.run.packets = packets;
    }
  }

  // Behind what other messages land: a packet's flag must not be found in bytes that are no packet.
  static std::uint64_t packets_at(const LinkSpec& link, const Landing& landing) {
    return landing.address + static_cast<std::uint64_t>(packets_offset(*link.send_layout, *link.receive_layout));
  }

  void add_bulk(const LinkSpec& link, const Split& what, Chunk like) {
    std::vector<Tile> tiles;
    for (const Section& s : what.direct)
      for (const Part& part : parts(s, own(s), peers(link, s), 16)) append_bulk_tiles(part.run, tiles);
    like.num_workers = num_bulk_workers_of(what.direct_bytes);
    like.is_acknowledged = link.is_acknowledged ? 1 : 0;
    append_workers(like, tiles);
  }

  // The workers of a link take its tiles as they get on.
  void append_workers(Chunk like, const std::vector<Tile>& tiles) {
    if (like.num_workers > 0)
      like.tiles_per_piece =
          std::clamp(static_cast<std::uint32_t>(tiles.size()) / like.num_workers / 3, 1U, kMostTilesPerPiece);
    for (like.worker = 0; like.worker < like.num_workers; ++like.worker) {
      bulk_.push_back({like, like.worker == 0 ? tiles : std::vector<Tile>()});
      if (like.signal != nullptr) like.signal += kWordStride;
    }
  }

  // Bulk tiles stay within a row and are a whole number of 16-byte units.
  void append_bulk_tiles(const Run& run, std::vector<Tile>& tiles) {
    const auto number = static_cast<std::uint32_t>(tables_.runs.size());
    tables_.runs.push_back(run);
    const std::uint32_t row = run.shape == RunShape::linear ? run.num_units : run.row.value;
    const std::uint32_t most = static_cast<std::uint32_t>(kBulkTileBytes) / run.unit_bytes;
    for (std::uint32_t start = 0; start < run.num_units; start += row)
      for (std::uint32_t unit = 0; unit < row; unit += most)
        tiles.push_back({number, start + unit, std::min(most, row - unit), 0});
  }

  void add_receives(const LinkSpec& link) {
    const Split what = split(link, false);
    std::vector<std::vector<Part>> all;
    for (const Section& s : what.landed) {
      const std::int64_t limit = what.as_packets ? std::int64_t{kPacketWordBytes} : unit_limit(s);
      all.push_back(parts(s, in_message(s, link.own_landing.address, link.own_landing.slot_bytes), own(s), limit));
      if (what.as_packets) make_packets(all.back(), s, packets_at(link, link.own_landing), Packets::received);
    }
    Chunk like;
    like.words = link.own_words;
    like.link = link.link;
    like.wait = kFirstArrived;
    const std::uint32_t num_chunks = landed_chunks(link, what);
    if (what.as_packets) like.num_waits = 0;
    const std::size_t first = receive_.size();
    append_chunks(all, num_chunks, like, receive_);
    if (link.always_signals) await_one_word(receive_, first);
    if (!what.as_packets) like.wait += num_chunks;
    like.num_waits = num_bulk_workers_of(what.direct_bytes);
    if (like.num_waits > 0) receive_.push_back({like, {}});
  }

  void add_wait(const LinkSpec& link) {
    Chunk wait;
    wait.words = link.own_words;
    wait.link = link.link;
    wait.wait = kFirstArrived;
    wait.num_waits = link.always_signals ? 1 : landed_chunks(link, split(link, false));
    if (wait.num_waits > 0) receive_.push_back({wait, {}});
  }

  void append_chunks(const std::vector<std::vector<Part>>& sections, std::uint32_t num_chunks, const Chunk& like,
                     std::vector<Draft>& drafts) {
    for (const auto& section : sections)
      for (const Part& part : section) (void)checked(part.run);
    device::append_chunks(sections, num_chunks, like, tables_.runs, drafts);
  }

  const Run& checked(const Run& run) const {
    if (spec_.reduces && run.unit_bytes < bytes_of(run.scalar) && run.target_slot == 0)
      throw Error(StatusCode::invalid_argument,
                  "prepare a reverse exchange on a GPU: a field's cells are not aligned to their scalar type; align "
                  "its address and strides, or make the element opaque and use forward only");
    return run;
  }

  // ---- reductions in which an owned cell gets several contributions ------------------------------------------------

  bool targets_overlap() const {
    std::vector<const PieceEnd*> ends;
    for (const LinkSpec& link : spec_.links)
      for (const Piece& piece : link.receives) ends.push_back(&piece.here);
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (std::size_t j = i + 1; j < ends.size(); ++j) {
        if (ends[i]->patch != ends[j]->patch) continue;
        if (!ends[i]->elements.empty() || !intersect(ends[i]->cells, ends[j]->cells).empty()) return true;
      }
    return false;
  }

  struct Contribution {
    std::int64_t target;
    std::int64_t source;
  };

  // One run per field: each owned cell with everything that arrives for it, in the order of ranks and pieces.
  void add_sums() {
    for (std::size_t f = 0; f < spec_.fields.size(); ++f) {
      std::vector<Contribution> all;
      std::int64_t alignment = 0;
      for (const LinkSpec& link : spec_.links) {
        if (link.receives.empty()) continue;
        for (const Section& s : sections_of(link.receives, spec_.fields, *link.receive_layout))
          if (s.field_number == f) append_contributions(link, s, all, alignment);
      }
      if (!all.empty()) add_sum(spec_.fields[f], std::move(all), alignment);
    }
  }

  void append_contributions(const LinkSpec& link, const Section& s, std::vector<Contribution>& all,
                            std::int64_t& alignment) const {
    const Place3 source = in_message(s, link.own_landing.address, 0);
    const Place3 target = own(s);
    const std::int64_t cells = s.piece->num_cells;
    const Index3 extents = s.piece->here.cells.extents();
    const AxisOrder& order = s.field->order;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      std::int64_t to = static_cast<std::int64_t>(target.address);
      if (target.elements != nullptr) {
        to += (*target.elements)[static_cast<std::size_t>(cell)] * target.stride[0];
      } else {
        std::int64_t rest = cell;
        for (const auto axis : order) {
          to += rest % extents[axis] * target.stride[axis];
          rest /= extents[axis];
        }
      }
      all.push_back({to, static_cast<std::int64_t>(source.address) + cell * s.element_bytes()});
      alignment |= to;
    }
  }

  void add_sum(const FieldShape& field, std::vector<Contribution> all, std::int64_t alignment) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
    const auto scalar_bytes = static_cast<std::int64_t>(bytes_of(field.element.scalar));
    Run run;
    run.shape = RunShape::summed;
    run.scalar = field.element.scalar;
    run.unit_bytes = static_cast<std::uint32_t>(alignment % scalar_bytes == 0 ? scalar_bytes : 1);
    run.source_slot = slot_bytes();
    run.row = Divisor::of(field.element.count);
    run.counts[0] = Divisor::of(kMaxUnitsPerRun);
    append_sum_tables(all, run);
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < all.size(); ++i) rows += i == 0 || all[i].target != all[i - 1].target ? 1 : 0;
    if (rows * field.element.count > kMaxUnitsPerRun)
      throw Error(StatusCode::not_supported,
                  "prepare a reverse exchange on a GPU: more than 2^30 scalars overlap; use more ranks");
    Part part{checked(run), 0, rows, static_cast<std::int64_t>(field.element.count) * 16};
    part.run.num_units = static_cast<std::uint32_t>(rows * field.element.count);
    append_chunks({{part}}, num_chunks_of(rows * static_cast<std::int64_t>(field.element.bytes())), {}, receive_);
  }

  std::uint64_t slot_bytes() const { return spec_.links.empty() ? 0 : spec_.links[0].own_landing.slot_bytes; }

  void append_sum_tables(const std::vector<Contribution>& all, Run& run) {
    auto& offsets = tables_.offsets;
    const auto position = [&] { return reinterpret_cast<const std::int64_t*>(offsets.size() + 1); };
    run.source_offsets = position();
    for (const auto& c : all) offsets.push_back(c.source);
    run.target_offsets = position();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i == 0 || all[i].target != all[i - 1].target) offsets.push_back(all[i].target);
    run.first_source = position();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i == 0 || all[i].target != all[i - 1].target) offsets.push_back(static_cast<std::int64_t>(i));
    offsets.push_back(static_cast<std::int64_t>(all.size()));
  }

  // ---- the end
  // -------------------------------------------------------------------------------------------------------

  Tables finished() {
    tables_.num_bulk = append(bulk_, tables_);
    tables_.num_send = append(send_, tables_);
    tables_.num_receive = append(receive_, tables_);
    return std::move(tables_);
  }

  const KindSpec& spec_;
  Tables tables_;
  std::deque<Piece> pieces_;  // parts of the spec's own
  std::vector<Draft> bulk_;
  std::vector<Draft> send_;
  std::vector<Draft> receive_;
};

const std::int64_t* relocated(const std::int64_t* position, const std::int64_t* offsets) {
  return position == nullptr ? nullptr : offsets + (reinterpret_cast<std::uintptr_t>(position) - 1);
}

}  // namespace

Tables compile(const KindSpec& spec) { return Compilation(spec).run(); }

std::vector<Run> relocated(const Tables& tables, const std::int64_t* offsets) {
  std::vector<Run> runs = tables.runs;
  for (Run& run : runs) {
    if (run.shape == RunShape::chained) continue;  // its offsets lie in GPU memory already
    run.source_offsets = relocated(run.source_offsets, offsets);
    run.target_offsets = relocated(run.target_offsets, offsets);
    run.first_source = relocated(run.first_source, offsets);
  }
  return runs;
}

}  // namespace halyard::pack::device
