// reduce_unit: target = target op source for one scalar, alike on host and GPU (bit-equal: one addition, or a < b ? a :
// b as halyard/exchange_kinds.hpp says). Addresses are aligned to the scalar.
#pragma once

#include <cstdint>
#include <type_traits>

#include "halyard/exchange_kinds.hpp"
#include "halyard/field.hpp"

namespace halyard::pack::device {

template <class T>
constexpr T reduced(Reduce op, T own, T came) {
  if (op == Reduce::sum) {
    if constexpr (std::is_integral_v<T>)  // wraps like the hardware
      return static_cast<T>(static_cast<std::uint64_t>(own) + static_cast<std::uint64_t>(came));
    else
      return own + came;
  }
  if (op == Reduce::min) return came < own ? came : own;
  return own < came ? came : own;
}

template <class T>
constexpr void reduce_as(Reduce op, void* target, const void* source) {
  T& own = *static_cast<T*>(target);
  own = reduced(op, own, *static_cast<const T*>(source));
}

constexpr void reduce_unit(Scalar scalar, Reduce op, void* target, const void* source) {
  switch (scalar) {
    case Scalar::opaque:
      return;
    case Scalar::i8:
      return reduce_as<std::int8_t>(op, target, source);
    case Scalar::u8:
      return reduce_as<std::uint8_t>(op, target, source);
    case Scalar::i16:
      return reduce_as<std::int16_t>(op, target, source);
    case Scalar::u16:
      return reduce_as<std::uint16_t>(op, target, source);
    case Scalar::i32:
      return reduce_as<std::int32_t>(op, target, source);
    case Scalar::u32:
      return reduce_as<std::uint32_t>(op, target, source);
    case Scalar::i64:
      return reduce_as<std::int64_t>(op, target, source);
    case Scalar::u64:
      return reduce_as<std::uint64_t>(op, target, source);
    case Scalar::f32:
      return reduce_as<float>(op, target, source);
    case Scalar::f64:
      return reduce_as<double>(op, target, source);
  }
}

}  // namespace halyard::pack::device
