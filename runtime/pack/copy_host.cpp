// copy on the host. Rows of a few common lengths are copied by loops whose length the compiler knows; that is what
// makes faces across the fastest axis, with rows of one to four elements, cheap.
#include <cstring>

#include "pack/gather.hpp"
#include "pack/program.hpp"

namespace halyard::pack {
namespace {

using Bytes = std::byte*;
using ConstBytes = const std::byte*;

Bytes at(Bytes base, Place place) { return reinterpret_cast<Bytes>(reinterpret_cast<Place>(base) + place); }
ConstBytes at(ConstBytes base, Place place) {
  return reinterpret_cast<ConstBytes>(reinterpret_cast<Place>(base) + place);
}

// A row whose length is known only now: 32 bytes at a time, the last ones overlapping.
inline void copy_row(Bytes target, ConstBytes source, std::size_t bytes) {
  constexpr std::size_t kStep = 32;
  constexpr std::size_t kLong = 512;  // from here on the C library's copy wins
  if (bytes >= kLong || bytes < kStep) {
    std::memcpy(target, source, bytes);
    return;
  }
  const std::size_t last = bytes - kStep;
  for (std::size_t i = 0; i < last; i += kStep) std::memcpy(target + i, source + i, kStep);
  std::memcpy(target + last, source + last, kStep);
}

template <std::size_t kRow>  // 0: the block says
inline void copy_one(Bytes target, ConstBytes source, std::int64_t row_bytes) {
  if constexpr (kRow != 0)
    std::memcpy(target, source, kRow);
  else
    copy_row(target, source, static_cast<std::size_t>(row_bytes));
}

// Rows so far apart that each is a cache line, and mostly a page, of its own come in strides that no prefetcher of the
// hardware follows across pages.
constexpr std::int64_t kRowsAhead = 16;

template <std::size_t kRow, int kTogether, bool kPrefetches>
void copy_rows(const Block& b, ConstBytes source, Bytes target) {
  constexpr std::size_t kRowAxis = kTogether == 1 ? 0 : 1;
  const std::int64_t num_rows = b.count[kRowAxis];
  const std::int64_t source_step = b.source_stride[kRowAxis];
  const std::int64_t target_step = b.target_stride[kRowAxis];
  const std::int64_t num_planes = b.count[kRowAxis + 1];
  for (std::int64_t k = 0; k < num_planes; ++k) {
    ConstBytes s = source + k * b.source_stride[kRowAxis + 1];
    Bytes t = target + k * b.target_stride[kRowAxis + 1];
    for (std::int64_t i = 0; i < num_rows; ++i, s += source_step, t += target_step) {
      if constexpr (kPrefetches) {
        __builtin_prefetch(s + kRowsAhead * source_step);
        __builtin_prefetch(t + kRowsAhead * target_step, 1);
      }
      copy_one<kRow>(t, s, b.row_bytes);
      if constexpr (kTogether == 2) copy_one<kRow>(t + b.target_stride[0], s + b.source_stride[0], b.row_bytes);
    }
  }
}

template <std::size_t kRow>
void copy_block(const Block& b, ConstBytes source, Bytes target, bool prefetches) {
  constexpr bool kIsShort = kRow != 0;
  if (b.count[0] == 2 && b.count[1] > 1)  // two faces in one pass over the rows that both touch
    return prefetches ? copy_rows<kRow, 2, kIsShort>(b, source, target) : copy_rows<kRow, 2, false>(b, source, target);
  for (std::int64_t k = 0; k < b.count[2]; ++k) {
    ConstBytes s = source + k * b.source_stride[2];
    Bytes t = target + k * b.target_stride[2];
    if (prefetches)
      copy_rows<kRow, 1, kIsShort>(b, s, t);
    else
      copy_rows<kRow, 1, false>(b, s, t);
  }
}

void copy_block_of_any_row(const Block& b, ConstBytes source, Bytes target, bool prefetches) {
  switch (b.row_bytes) {
    case 1:
      return copy_block<1>(b, source, target, prefetches);
    case 2:
      return copy_block<2>(b, source, target, prefetches);
    case 4:
      return copy_block<4>(b, source, target, prefetches);
    case 8:
      return copy_block<8>(b, source, target, prefetches);
    case 12:
      return copy_block<12>(b, source, target, prefetches);
    case 16:
      return copy_block<16>(b, source, target, prefetches);
    case 24:
      return copy_block<24>(b, source, target, prefetches);
    case 32:
      return copy_block<32>(b, source, target, prefetches);
    case 48:
      return copy_block<48>(b, source, target, prefetches);
    case 64:
      return copy_block<64>(b, source, target, prefetches);
    default:
      return copy_block<0>(b, source, target, prefetches);
  }
}

template <std::size_t kElement>
void copy_list(const List& list, ConstBytes source, Bytes target) {
  const auto bytes = kElement != 0 ? kElement : static_cast<std::size_t>(list.element_bytes);
  const auto count = static_cast<std::size_t>(list.num_elements);
  const bool source_is_dense = list.source_offsets.empty();
  const bool target_is_dense = list.target_offsets.empty();
  for (std::size_t i = 0; i < count; ++i) {
    const auto dense = static_cast<std::ptrdiff_t>(i * bytes);
    ConstBytes s = source + (source_is_dense ? dense : list.source_offsets[i]);
    Bytes t = target + (target_is_dense ? dense : list.target_offsets[i]);
    std::memcpy(t, s, bytes);
  }
}

void copy_list_of_any_element(const List& list, ConstBytes source, Bytes target) {
  switch (list.element_bytes) {
    case 4:
      return copy_list<4>(list, source, target);
    case 8:
      return copy_list<8>(list, source, target);
    case 16:
      return copy_list<16>(list, source, target);
    case 24:
      return copy_list<24>(list, source, target);
    default:
      return copy_list<0>(list, source, target);
  }
}

}  // namespace

void copy(const Program& program, const std::byte* source_base, std::byte* target_base) {  // data path
  for (const Block& b : program.blocks)
    copy_block_of_any_row(b, at(source_base, b.source), at(target_base, b.target), program.prefetches);
  for (const List& l : program.lists) copy_list_of_any_element(l, at(source_base, l.source), at(target_base, l.target));
  for (const Gather& g : program.gathers) copy_gather(g, at(source_base, g.source), at(target_base, g.target));
}

Program reversed(Program program) {
  for (Block& b : program.blocks) {
    std::swap(b.source, b.target);
    std::swap(b.source_stride, b.target_stride);
  }
  for (List& l : program.lists) {
    std::swap(l.source, l.target);
    std::swap(l.source_offsets, l.target_offsets);
  }
  for (Gather& g : program.gathers) {
    std::swap(g.source, g.target);
    std::swap(g.source_stride, g.target_stride);
    std::swap(g.source_numbers, g.target_numbers);
    g.has_shift = false;
  }
  return program;
}

std::int64_t Program::num_bytes() const {
  std::int64_t bytes = 0;
  for (const Block& b : blocks) bytes += b.row_bytes * b.count[0] * b.count[1] * b.count[2];
  for (const List& l : lists) bytes += l.element_bytes * l.num_elements;
  for (const Gather& g : gathers) bytes += static_cast<std::int64_t>(g.element.bytes()) * g.num_elements;
  return bytes;
}

}  // namespace halyard::pack
