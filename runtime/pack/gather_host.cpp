// See gather.hpp. Loops are made for the elements that particles have: one to three components of 4 or 8 bytes, beside
// each other or in planes of their own. Loads and stores go through memcpy, since records align nothing.
#include <cstring>

#include "pack/device/reduce_unit.hpp"
#include "pack/gather.hpp"

namespace halyard::pack {
namespace {

using Strides = Gather::Strides;

// Where element i lies. Which of the two it is, is decided outside the loops.
struct Listed {
  const std::int32_t* numbers;
  std::int64_t stride;
  std::int64_t operator()(std::int64_t i) const { return numbers[i] * stride; }
};
struct Dense {
  std::int64_t stride;
  std::int64_t operator()(std::int64_t i) const { return i * stride; }
};

// Elements without gaps are so common that their loop is worth its own code: strides that the compiler knows.
template <std::size_t kBytes, class Source, class Target>
void copy_rows(std::int64_t count, Source from, Target to, const std::byte* source, std::byte* target) {
  constexpr auto kPacked = static_cast<std::int64_t>(kBytes);
  if (from.stride == kPacked && to.stride == kPacked) from.stride = to.stride = kPacked;  // known to the compiler now
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(target + to(i), source + from(i), kBytes);
}

template <class T, std::size_t kCount>
void add_shift(std::byte* target, std::int64_t to_step, const std::byte* source, std::int64_t from_step,
               const T (&shift)[kCount]) {
  for (std::size_t c = 0; c < kCount; ++c) {
    T value;
    std::memcpy(&value, source + static_cast<std::int64_t>(c) * from_step, sizeof(T));
    value += shift[c];
    std::memcpy(target + static_cast<std::int64_t>(c) * to_step, &value, sizeof(T));
  }
}

template <class T, std::size_t kCount, class Source, class Target>
void copy_shifted(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) {
  constexpr auto kScalar = static_cast<std::int64_t>(sizeof(T));
  constexpr auto kPacked = static_cast<std::int64_t>(kCount) * kScalar;
  T shift[kCount];
  for (std::size_t c = 0; c < kCount; ++c) shift[c] = static_cast<T>(g.shift[c]);
  const Strides s = g.source_stride;
  const Strides t = g.target_stride;
  if (s.element == kPacked && t.element == kPacked && s.component == kScalar && t.component == kScalar) {
    from.stride = to.stride = kPacked;
    for (std::int64_t i = 0; i < g.num_elements; ++i)
      add_shift<T, kCount>(target + to(i), kScalar, source + from(i), kScalar, shift);
    return;
  }
  for (std::int64_t i = 0; i < g.num_elements; ++i)
    add_shift<T, kCount>(target + to(i), t.component, source + from(i), s.component, shift);
}

template <class T, class Source, class Target>
void copy_shifted(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) {
  switch (g.element.count) {
    case 1:
      return copy_shifted<T, 1>(g, from, to, source, target);
    case 2:
      return copy_shifted<T, 2>(g, from, to, source, target);
    default:
      return copy_shifted<T, 3>(g, from, to, source, target);
  }
}

// Components beside each other at both ends are one row.
bool is_one_row(const Gather& g) {
  const auto bytes = static_cast<std::int64_t>(bytes_of(g.element.scalar));
  return g.element.count == 1 || (g.source_stride.component == bytes && g.target_stride.component == bytes);
}

template <class Source, class Target>
void copy_row(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) {
  switch (g.element.bytes()) {
    case 4:
      return copy_rows<4>(g.num_elements, from, to, source, target);
    case 8:
      return copy_rows<8>(g.num_elements, from, to, source, target);
    case 12:
      return copy_rows<12>(g.num_elements, from, to, source, target);
    case 16:
      return copy_rows<16>(g.num_elements, from, to, source, target);
    case 24:
      return copy_rows<24>(g.num_elements, from, to, source, target);
    default:
      for (std::int64_t i = 0; i < g.num_elements; ++i)
        std::memcpy(target + to(i), source + from(i), g.element.bytes());
  }
}

template <std::size_t kBytes, class Source, class Target>
void copy_components(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) {
  for (std::int64_t c = 0; c < g.element.count; ++c)
    copy_rows<kBytes>(g.num_elements, from, to, source + c * g.source_stride.component,
                      target + c * g.target_stride.component);
}

template <class Source, class Target>
void copy_planes(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) {
  switch (bytes_of(g.element.scalar)) {
    case 1:
      return copy_components<1>(g, from, to, source, target);
    case 2:
      return copy_components<2>(g, from, to, source, target);
    case 4:
      return copy_components<4>(g, from, to, source, target);
    default:
      return copy_components<8>(g, from, to, source, target);
  }
}

struct Copy {
  template <class Source, class Target>
  void operator()(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) const {
    if (g.has_shift && g.element.scalar == Scalar::f32) return copy_shifted<float>(g, from, to, source, target);
    if (g.has_shift) return copy_shifted<double>(g, from, to, source, target);
    if (is_one_row(g)) return copy_row(g, from, to, source, target);
    copy_planes(g, from, to, source, target);
  }
};

struct Accumulate {
  Reduce op;

  template <class Source, class Target>
  void operator()(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) const {
    switch (g.element.scalar) {
      case Scalar::opaque:
        return;  // refused before a program runs
      case Scalar::f64:
        return op == Reduce::sum ? run<double, Reduce::sum>(g, from, to, source, target)
                                 : run<double>(g, from, to, source, target);
      case Scalar::f32:
        return op == Reduce::sum ? run<float, Reduce::sum>(g, from, to, source, target)
                                 : run<float>(g, from, to, source, target);
      case Scalar::i8:
        return run<std::int8_t>(g, from, to, source, target);
      case Scalar::u8:
        return run<std::uint8_t>(g, from, to, source, target);
      case Scalar::i16:
        return run<std::int16_t>(g, from, to, source, target);
      case Scalar::u16:
        return run<std::uint16_t>(g, from, to, source, target);
      case Scalar::i32:
        return run<std::int32_t>(g, from, to, source, target);
      case Scalar::u32:
        return run<std::uint32_t>(g, from, to, source, target);
      case Scalar::i64:
        return run<std::int64_t>(g, from, to, source, target);
      case Scalar::u64:
        return run<std::uint64_t>(g, from, to, source, target);
    }
  }

  template <class T, Reduce kOp, class Source, class Target>
  static void run(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) {
    for (std::int64_t i = 0; i < g.num_elements; ++i)
      for (std::int64_t c = 0; c < g.element.count; ++c)
        reduce_one<T>(kOp, target + to(i) + c * g.target_stride.component,
                      source + from(i) + c * g.source_stride.component);
  }
  template <class T, class Source, class Target>
  void run(const Gather& g, Source from, Target to, const std::byte* source, std::byte* target) const {
    for (std::int64_t i = 0; i < g.num_elements; ++i)
      for (std::int64_t c = 0; c < g.element.count; ++c)
        reduce_one<T>(op, target + to(i) + c * g.target_stride.component,
                      source + from(i) + c * g.source_stride.component);
  }
  template <class T>
  static void reduce_one(Reduce op, std::byte* target, const std::byte* source) {
    T own;
    T came;
    std::memcpy(&own, target, sizeof(T));
    std::memcpy(&came, source, sizeof(T));
    own = device::reduced(op, own, came);
    std::memcpy(target, &own, sizeof(T));
  }
};

// Calls `loop` with the kind of list that each end has.
template <class Loop>
void run(const Gather& g, const std::byte* source, std::byte* target, const Loop& loop) {
  const Dense dense_source{g.source_stride.element};
  const Dense dense_target{g.target_stride.element};
  const Listed listed_source{g.source_numbers, g.source_stride.element};
  const Listed listed_target{g.target_numbers, g.target_stride.element};
  if (g.source_numbers == nullptr && g.target_numbers == nullptr)
    return loop(g, dense_source, dense_target, source, target);
  if (g.target_numbers == nullptr) return loop(g, listed_source, dense_target, source, target);
  if (g.source_numbers == nullptr) return loop(g, dense_source, listed_target, source, target);
  loop(g, listed_source, listed_target, source, target);
}

}  // namespace

void copy_gather(const Gather& gather, const std::byte* source, std::byte* target) {  // data path
  run(gather, source, target, Copy{});
}

void reduce_gather(const Gather& gather, Reduce op, const std::byte* source, std::byte* target) {  // data path
  run(gather, source, target, Accumulate{op});
}

}  // namespace halyard::pack
