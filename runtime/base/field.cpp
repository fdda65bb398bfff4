// Elements and the layout of fields, see halyard/field.hpp.
#include "halyard/field.hpp"

#include <algorithm>
#include <cstdlib>

namespace halyard {

std::size_t bytes_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::opaque:
    case Scalar::i8:
    case Scalar::u8:
      return 1;
    case Scalar::i16:
    case Scalar::u16:
      return 2;
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::f32:
      return 4;
    case Scalar::i64:
    case Scalar::u64:
    case Scalar::f64:
      return 8;
  }
  return 1;
}

FieldShape FieldView::shape() const {
  AxisOrder order{0, 1, 2};
  // Axes of one cell say nothing about the order; they go last, so that their strides need not be set.
  std::stable_sort(order.begin(), order.end(), [this](std::uint8_t a, std::uint8_t b) {
    const bool a_moves = extent[a] > 1;
    const bool b_moves = extent[b] > 1;
    if (a_moves != b_moves) return a_moves;
    return a_moves && std::abs(stride_bytes[a]) < std::abs(stride_bytes[b]);
  });
  return {name, element, order};
}

void FieldView::set_dense_strides(Storage storage) {
  auto step = static_cast<std::int64_t>(element.bytes());
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t axis = storage == Storage::x_fastest ? i : 2 - i;
    stride_bytes[axis] = step;
    step *= extent[axis];
  }
}

}  // namespace halyard
