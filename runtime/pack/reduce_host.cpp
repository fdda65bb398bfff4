// reduce on the host: one loop per scalar type and operation. Loads and stores go through memcpy, since fields may be
// packed in records that align nothing.
#include <cstring>

#include "pack/gather.hpp"
#include "pack/program.hpp"

namespace halyard::pack {
namespace {

struct Sum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)  // wraps like the hardware; signed overflow must not be undefined here
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return a + b;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? b : a;
  }
};

template <class T, class Op>
void reduce_row(std::byte* target, const std::byte* source, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof(T))) {
    T mine;
    T theirs;
    std::memcpy(&mine, target + i, sizeof(T));
    std::memcpy(&theirs, source + i, sizeof(T));
    mine = Op::apply(mine, theirs);
    std::memcpy(target + i, &mine, sizeof(T));
  }
}

using RowKernel = void (*)(std::byte* target, const std::byte* source, std::int64_t bytes);

template <class Op>
RowKernel kernel_for(Scalar scalar) {
  switch (scalar) {
    case Scalar::opaque:
      return nullptr;  // refused before a program runs
    case Scalar::i8:
      return reduce_row<std::int8_t, Op>;
    case Scalar::u8:
      return reduce_row<std::uint8_t, Op>;
    case Scalar::i16:
      return reduce_row<std::int16_t, Op>;
    case Scalar::u16:
      return reduce_row<std::uint16_t, Op>;
    case Scalar::i32:
      return reduce_row<std::int32_t, Op>;
    case Scalar::u32:
      return reduce_row<std::uint32_t, Op>;
    case Scalar::i64:
      return reduce_row<std::int64_t, Op>;
    case Scalar::u64:
      return reduce_row<std::uint64_t, Op>;
    case Scalar::f32:
      return reduce_row<float, Op>;
    case Scalar::f64:
      return reduce_row<double, Op>;
  }
  return nullptr;
}

RowKernel kernel_for(Reduce op, Scalar scalar) {
  switch (op) {
    case Reduce::sum:
      return kernel_for<Sum>(scalar);
    case Reduce::min:
      return kernel_for<Min>(scalar);
    case Reduce::max:
      return kernel_for<Max>(scalar);
  }
  return nullptr;
}

std::byte* at(std::byte* base, Place place) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<Place>(base) + place);
}
const std::byte* at(const std::byte* base, Place place) {
  return reinterpret_cast<const std::byte*>(reinterpret_cast<Place>(base) + place);
}

void reduce_block(const Block& b, RowKernel kernel, const std::byte* source, std::byte* target) {
  for (std::int64_t k = 0; k < b.count[2]; ++k)
    for (std::int64_t j = 0; j < b.count[1]; ++j) {
      const std::byte* s = source + k * b.source_stride[2] + j * b.source_stride[1];
      std::byte* t = target + k * b.target_stride[2] + j * b.target_stride[1];
      for (std::int64_t i = 0; i < b.count[0]; ++i, s += b.source_stride[0], t += b.target_stride[0])
        kernel(t, s, b.row_bytes);
    }
}

void reduce_list(const List& list, RowKernel kernel, const std::byte* source, std::byte* target) {
  for (std::int64_t i = 0; i < list.num_elements; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const std::int64_t dense = i * list.element_bytes;
    kernel(target + (list.target_offsets.empty() ? dense : list.target_offsets[n]),
           source + (list.source_offsets.empty() ? dense : list.source_offsets[n]), list.element_bytes);
  }
}

}  // namespace

void reduce(const Program& program, Reduce op, const std::byte* source_base, std::byte* target_base) {  // data path
  for (const Block& b : program.blocks)
    reduce_block(b, kernel_for(op, b.scalar), at(source_base, b.source), at(target_base, b.target));
  for (const List& l : program.lists)
    reduce_list(l, kernel_for(op, l.scalar), at(source_base, l.source), at(target_base, l.target));
  for (const Gather& g : program.gathers) reduce_gather(g, op, at(source_base, g.source), at(target_base, g.target));
}

}  // namespace halyard::pack
