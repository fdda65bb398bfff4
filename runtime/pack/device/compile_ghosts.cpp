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
      if (link.tells_sent) tables_.sent.push_back(link.peer_words + kSent * kWordStride);
    }
    if (spec_.reduces) add_sums();
    tables_.num_send = append(send_, tables_);
    tables_.num_receive = append(receive_, tables_);
    return std::move(tables_);
  }

 private:
  using Sections = std::vector<std::vector<Part>>;

  std::int64_t message_bytes(std::int64_t count) const {
    std::int64_t bytes = 0;
    for (const ElementArray& array : spec_.arrays) bytes += count * array.element_bytes();
    return bytes;
  }

  std::uint32_t num_chunks(const GhostLink& link, std::int64_t count) const {
    return std::max(num_chunks_of(message_bytes(count)), link.always_signals ? 1U : 0U);
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

  static std::int64_t limit(const ElementArray& array) {
    return array.first_axis ? array.scalar_bytes() : 16;  // positions may be shifted
  }

  static void check_alignment(const ElementArray& array, const Run& run) {
    if (run.unit_bytes == bytes_of(array.element.scalar)) return;
    throw Error(StatusCode::invalid_argument,
                "list ghosts on a GPU: positions, and arrays that are reduced, must be aligned to their scalars; align "
                "their addresses and strides");
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
          sections.push_back({place(spec_.arrays[a], group, done, begins[a] + done * spec_.arrays[a].element_bytes())});
        done += group.count;
      }
    }
    return sections;
  }

  void add_self(const GhostLink& link) {
    const Sections sections =
        sections_of(link.sends, link.num_sent(),
                    [&](const ElementArray& array, const GhostPart& group, std::int64_t done, std::int64_t) {
                      Part part = part_of(array, in_array(array, 0, link.numbers + done),
                                          in_array(array, link.first_ghost + done, nullptr), group.count, limit(array));
                      set_shift(part.run, array, group);
                      if (part.run.is_shifted) check_alignment(array, part.run);
                      return part;
                    });
    append_chunks(sections, num_chunks_of(message_bytes(link.num_sent())), {}, tables_.runs, send_);
  }

  void add_send(const GhostLink& link, LinkTraffic& traffic) {
    const std::int64_t count = spec_.reduces ? link.num_received() : link.num_sent();
    traffic.landed_bytes = message_bytes(count);
    traffic.num_send_chunks = num_chunks(link, count);
    Chunk like;
    like.words = link.own_words;
    like.signal = link.peer_words + kFirstArrived * kWordStride;
    like.link = link.link;
    like.wait = kConsumed;
    like.lag = link.always_signals ? 1 : 2;  // the host must see each message's words before the next one's
    append_chunks(spec_.reduces ? ghosts_out(link) : owned_out(link), traffic.num_send_chunks, like, tables_.runs,
                  send_);
  }

  Sections owned_out(const GhostLink& link) const {
    return sections_of(link.sends, link.num_sent(),
                       [&](const ElementArray& array, const GhostPart& group, std::int64_t done, std::int64_t offset) {
                         Part part = part_of(
                             array, in_array(array, 0, link.numbers + done),
                             in_message(array, link.peer_landing.address + bits(offset), link.peer_landing.slot_bytes),
                             group.count, limit(array));
                         set_shift(part.run, array, group);
                         if (part.run.is_shifted) check_alignment(array, part.run);
                         return part;
                       });
  }

  Sections ghosts_out(const GhostLink& link) const {
    const std::vector<GhostPart> all{{link.num_received(), {}}};
    return sections_of(all, link.num_received(),
                       [&](const ElementArray& array, const GhostPart& group, std::int64_t, std::int64_t offset) {
                         return part_of(
                             array, in_array(array, link.first_ghost, nullptr),
                             in_message(array, link.peer_landing.address + bits(offset), link.peer_landing.slot_bytes),
                             group.count, 16);
                       });
  }

  void add_receive(const GhostLink& link, LinkTraffic& traffic) {
    const std::int64_t count = spec_.reduces ? link.num_sent() : link.num_received();
    traffic.num_receive_chunks = num_chunks(link, count);
    Chunk like;
    like.words = link.own_words;
    like.link = link.link;
    like.wait = kFirstArrived;
    if (!spec_.reduces) {
      const std::size_t first = receive_.size();
      append_chunks(ghosts_in(link), traffic.num_receive_chunks, like, tables_.runs, receive_);
      if (link.always_signals) await_one_word(receive_, first);
      return;
    }
    like.num_waits = link.always_signals ? 1 : traffic.num_receive_chunks;
    if (like.num_waits == 0) return;
    receive_.push_back({like, {}});
    ++tables_.num_common_waits;
  }

  Sections ghosts_in(const GhostLink& link) const {
    return sections_of(
        link.receives, link.num_received(),
        [&](const ElementArray& array, const GhostPart& group, std::int64_t done, std::int64_t offset) {
          Part part =
              part_of(array, in_message(array, link.own_landing.address + bits(offset), link.own_landing.slot_bytes),
                      in_array(array, link.first_ghost + done, nullptr), group.count, limit(array));
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

Tables compile(const GhostSpec& spec) { return GhostCompilation(spec).run(); }

}  // namespace halyard::pack::device
