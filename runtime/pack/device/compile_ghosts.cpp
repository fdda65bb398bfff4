// See compile_ghosts.hpp. A message holds the arrays one after the other, each group by group.
#include "pack/device/compile_ghosts.hpp"

#include <bit>

#include "halyard/status.hpp"
#include "pack/device/chunks.hpp"

namespace halyard::pack::device {
namespace {

std::uint64_t bits(std::int64_t v) { return static_cast<std::uint64_t>(v); }

std::int64_t total_of(const std::vector<GhostPart>& parts) {
  std::int64_t total = 0;
  for (const GhostPart& part : parts) total += part.count;
  return total;
}

class GhostCompilation {
 public:
  explicit GhostCompilation(const GhostSpec& spec) : spec_(spec) {
    tables_.reduces = spec.reduces;
    tables_.traffic.resize(spec.links.size());
  }

  Tables run() {
    for (std::size_t i = 0; i < spec_.links.size(); ++i) {
      const GhostLink& link = spec_.links[i];
      if (link.is_self && !spec_.reduces) {
        add_self(link);
        continue;
      }
      add_send(link, tables_.traffic[i]);
      add_receive(link, tables_.traffic[i]);
      tables_.consumed.push_back(link.peer_words + kConsumed * kWordStride);
    }
    if (spec_.reduces) add_sums();
    tables_.num_send = append(send_, tables_);
    tables_.num_receive = append(receive_, tables_);
    return std::move(tables_);
  }

 private:
  using Sections = std::vector<std::vector<Part>>;

  /// Of a section in the message.
  struct Where {
    std::int64_t offset = 0;
    std::size_t number = 0;
  };

  std::int64_t message_bytes(std::int64_t count) const {
    std::int64_t bytes = 0;
    for (const ElementArray& array : spec_.arrays) bytes += count * array.element_bytes();
    return bytes;
  }

  // Alike at both ends: element types are, and `takes_packets` is agreed on.
  bool as_packets(const GhostLink& link, std::int64_t bytes) const {
    const std::size_t groups = std::max(link.sends.size(), link.receives.size());
    return !spec_.reduces && link.takes_packets && bytes > 0 && bytes <= kMostBytesAsPackets &&
           spec_.arrays.size() * groups <= kMostGhostSectionsAsPackets;
  }
  std::uint32_t num_chunks(const GhostLink& link, std::int64_t count) const {
    const std::int64_t bytes = message_bytes(count);
    if (as_packets(link, bytes)) return num_packet_chunks_of(bytes);
    return std::max(num_chunks_of(bytes), link.always_signals ? 1U : 0U);
  }

  static Part part_of(const ElementArray& array, const ElementsAt& source, const ElementsAt& target, std::int64_t count,
                      std::int64_t most) {
    const Run run = numbered_run(array, source, target, count, most);
    return {run, 0, count, array.element_bytes() * 16 / run.unit_bytes};
  }

  static void set_shift(Run& run, const ElementArray& array, const GhostPart& group) {
    if (!array.first_axis) return;
    for (std::size_t c = 0; c < array.element.count; ++c) {
      run.shift[c] = group.shift[*array.first_axis + c];
      run.is_shifted = run.is_shifted || run.shift[c] != 0;
    }
  }

  static std::int64_t limit(const ElementArray& array, bool as_packets) {
    if (as_packets) return kPacketWordBytes;
    return array.first_axis ? array.scalar_bytes() : 16;  // positions may be shifted
  }

  static void check_alignment(const ElementArray& array, const Run& run) {
    if (run.unit_bytes == bytes_of(array.element.scalar)) return;
    throw Error(StatusCode::invalid_argument,
                "list ghosts on a GPU: positions, and arrays that are reduced, must be aligned to their scalars; align "
                "their addresses and strides");
  }

  // Packets of a section begin with a line of their own, as in compile.cpp.
  static std::uint64_t packet_at(std::uint64_t packets, std::int64_t offset, std::size_t section) {
    return packets + bits(first_packet_of(offset, section) * kPacketBytes);
  }

  // What `place` makes of each group that is not empty, with its first element in the message.
  template <class Place>
  Sections sections_of(const std::vector<GhostPart>& groups, std::int64_t count, const Place& place) const {
    Sections sections;
    const auto begins = ghost_sections(spec_.arrays, count);
    for (std::size_t a = 0; a < spec_.arrays.size(); ++a) {
      std::int64_t done = 0;
      for (const GhostPart& group : groups) {
        if (group.count > 0)
          sections.push_back({place(spec_.arrays[a], group, done,
                                    Where{begins[a] + done * spec_.arrays[a].element_bytes(), sections.size()})});
        done += group.count;
      }
    }
    return sections;
  }

  void add_self(const GhostLink& link) {
    const Sections sections = sections_of(
        link.sends, link.num_sent(),
        [&](const ElementArray& array, const GhostPart& group, std::int64_t done, const Where&) {
          Part part = part_of(array, in_array(array, 0, link.numbers + done),
                              in_array(array, link.first_ghost + done, nullptr), group.count, limit(array, false));
          set_shift(part.run, array, group);
          if (part.run.is_shifted) check_alignment(array, part.run);
          return part;
        });
    append_chunks(sections, num_chunks_of(message_bytes(link.num_sent())), {}, tables_.runs, send_);
  }

  void add_send(const GhostLink& link, LinkTraffic& traffic) {
    const std::int64_t count = spec_.reduces ? link.num_received() : link.num_sent();
    const std::int64_t bytes = message_bytes(count);
    traffic.landed_bytes = bytes;
    traffic.num_send_chunks = num_chunks(link, count);
    Chunk like;
    like.words = link.own_words;
    like.signal = as_packets(link, bytes) ? nullptr : link.peer_words + kFirstArrived * kWordStride;
    like.link = link.link;
    like.wait = kConsumed;
    like.lag = link.always_signals ? 1 : 2;  // the host must see each message's words before the next one's
    append_chunks(spec_.reduces ? ghosts_out(link) : owned_out(link, as_packets(link, bytes)), traffic.num_send_chunks,
                  like, tables_.runs, send_);
  }

  Sections owned_out(const GhostLink& link, bool packets) const {
    return sections_of(link.sends, link.num_sent(),
                       [&](const ElementArray& array, const GhostPart& group, std::int64_t done, const Where& where) {
                         Part part = part_of(array, in_array(array, 0, link.numbers + done),
                                             in_message(array, link.peer_landing.address + bits(where.offset),
                                                        link.peer_landing.slot_bytes),
                                             group.count, limit(array, packets));
                         set_shift(part.run, array, group);
                         if (part.run.is_shifted) check_alignment(array, part.run);
                         if (packets)
                           part.run.target = packet_at(link.peer_packets, where.offset, where.number),
                           part.run.packets = Packets::sent;
                         return part;
                       });
  }

  Sections ghosts_out(const GhostLink& link) const {
    const std::vector<GhostPart> all{{link.num_received(), {}}};
    return sections_of(all, link.num_received(),
                       [&](const ElementArray& array, const GhostPart& group, std::int64_t, const Where& where) {
                         return part_of(array, in_array(array, link.first_ghost, nullptr),
                                        in_message(array, link.peer_landing.address + bits(where.offset),
                                                   link.peer_landing.slot_bytes),
                                        group.count, 16);
                       });
  }

  void add_receive(const GhostLink& link, LinkTraffic& traffic) {
    const std::int64_t count = spec_.reduces ? link.num_sent() : link.num_received();
    const bool packets = as_packets(link, message_bytes(count));
    traffic.num_receive_chunks = num_chunks(link, count);
    Chunk like;
    like.words = link.own_words;
    like.link = link.link;
    like.wait = kFirstArrived;
    if (packets) like.num_waits = 0;
    if (!spec_.reduces)
      return append_chunks(ghosts_in(link, packets), traffic.num_receive_chunks, like, tables_.runs, receive_);
    like.num_waits = traffic.num_receive_chunks;
    if (like.num_waits == 0) return;
    receive_.push_back({like, {}});
    ++tables_.num_common_waits;
  }

  Sections ghosts_in(const GhostLink& link, bool packets) const {
    return sections_of(
        link.receives, link.num_received(),
        [&](const ElementArray& array, const GhostPart& group, std::int64_t done, const Where& where) {
          Part part = part_of(
              array, in_message(array, link.own_landing.address + bits(where.offset), link.own_landing.slot_bytes),
              in_array(array, link.first_ghost + done, nullptr), group.count, limit(array, packets));
          if (packets)
            part.run.source = packet_at(link.own_packets, where.offset, where.number),
            part.run.packets = Packets::received;
          return part;
        });
  }

  // Every block waits for all messages; then each element takes what came for it.
  void add_sums() {
    for (std::size_t a = 0; a < spec_.arrays.size() && spec_.sums.count > 0; ++a) {
      const ElementArray& array = spec_.arrays[a];
      const std::int64_t scalar = array.scalar_bytes();
      Part part = part_of(array, in_message(array, 0, spec_.links.front().own_landing.slot_bytes),
                          in_array(array, 0, spec_.sums.numbers), spec_.sums.count, scalar);
      check_alignment(array, part.run);
      part.run.shape = RunShape::chained;
      part.run.source_stride[0] = 0;  // source_offsets say where
      part.run.source_offsets = spec_.sums.source_offsets[a];
      part.run.chain = spec_.sums.chain;
      append_chunks({{part}}, num_chunks_of(spec_.sums.count * array.element_bytes()), {}, tables_.runs, receive_);
    }
  }

  const GhostSpec& spec_;
  Tables tables_;
  std::vector<Draft> send_;
  std::vector<Draft> receive_;
};

}  // namespace

std::int64_t GhostLink::num_sent() const { return total_of(sends); }
std::int64_t GhostLink::num_received() const { return total_of(receives); }

std::vector<std::int64_t> ghost_sections(std::span<const ElementArray> arrays, std::int64_t count) {
  std::vector<std::int64_t> begins{0};
  for (const ElementArray& array : arrays) {
    const std::int64_t end = begins.back() + count * array.element_bytes();
    begins.push_back((end + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment);
  }
  return begins;
}

std::uint64_t alignment_of(std::span<const ElementArray> arrays) {
  std::uint64_t all = 16;
  for (const ElementArray& array : arrays) {
    all |= array.address | bits(array.stride) | bits(array.element_bytes());
    const bool is_row = array.element.count == 1 || array.component_stride == array.scalar_bytes();
    all |= bits(is_row && !array.first_axis ? array.element_bytes() : array.scalar_bytes() | array.component_stride);
  }
  return std::uint64_t{1} << std::countr_zero(all);
}

Tables compile(const GhostSpec& spec) { return GhostCompilation(spec).run(); }

}  // namespace halyard::pack::device
