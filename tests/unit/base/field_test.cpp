// Elements, and the shape that a view has by its strides.
#include "halyard/field.hpp"

#include <gtest/gtest.h>

#include <array>

namespace halyard {
namespace {

AxisOrder order_of(const Index3& extent, const Index3& stride_bytes) {
  FieldView view;
  view.extent = extent;
  view.stride_bytes = stride_bytes;
  return view.shape().order;
}

TEST(ElementType, OfANumberIsItsScalar) {
  EXPECT_EQ(ElementType::of<double>(), (ElementType{Scalar::f64, 1}));
  EXPECT_EQ(ElementType::of<float>(3), (ElementType{Scalar::f32, 3}));
  EXPECT_EQ(ElementType::of<long long>(), (ElementType{Scalar::i64, 1}));
  EXPECT_EQ(ElementType::of<unsigned char>(), (ElementType{Scalar::u8, 1}));
  EXPECT_EQ(ElementType::of<std::int16_t>(), (ElementType{Scalar::i16, 1}));
}

TEST(ElementType, OfAnythingElseIsOpaqueBytes) {
  struct Record {
    double a;
    char b;
  };
  EXPECT_EQ(ElementType::of<Record>(), ElementType::opaque(16));
  EXPECT_EQ(ElementType::of<Record>(2), ElementType::opaque(32));
  EXPECT_EQ(ElementType::of<bool>(), ElementType::opaque(1));
  EXPECT_EQ((ElementType::of<std::array<float, 3>>()), ElementType::opaque(12));
}

TEST(ElementType, KnowsItsBytes) {
  EXPECT_EQ(ElementType::of<double>(8).bytes(), 64U);
  EXPECT_EQ(ElementType::of<std::uint16_t>(3).bytes(), 6U);
  EXPECT_EQ(ElementType::opaque(33).bytes(), 33U);
}

TEST(ElementType, BytesOfEachScalarAreThoseOfItsType) {
  EXPECT_EQ(bytes_of(Scalar::opaque), 1U);
  EXPECT_EQ(bytes_of(Scalar::i8) + bytes_of(Scalar::u8), 2U);
  EXPECT_EQ(bytes_of(Scalar::i16) + bytes_of(Scalar::u16), 4U);
  EXPECT_EQ(bytes_of(Scalar::i32) + bytes_of(Scalar::u32) + bytes_of(Scalar::f32), 12U);
  EXPECT_EQ(bytes_of(Scalar::i64) + bytes_of(Scalar::u64) + bytes_of(Scalar::f64), 24U);
}

TEST(FieldView, OrdersAxesByStride) {
  EXPECT_EQ(order_of({4, 4, 4}, {8, 32, 128}), (AxisOrder{0, 1, 2}));
  EXPECT_EQ(order_of({4, 4, 4}, {128, 32, 8}), (AxisOrder{2, 1, 0}));
  EXPECT_EQ(order_of({4, 4, 4}, {32, 128, 8}), (AxisOrder{2, 0, 1}));
}

TEST(FieldView, OrdersAxesByTheSizeOfAStrideNotItsSign) {
  EXPECT_EQ(order_of({4, 4, 4}, {-8, 32, -128}), (AxisOrder{0, 1, 2}));
  EXPECT_EQ(order_of({4, 4, 4}, {128, -32, 8}), (AxisOrder{2, 1, 0}));
}

TEST(FieldView, PutsAxesOfOneCellLastWhateverTheirStride) {
  EXPECT_EQ(order_of({1, 4, 4}, {0, 8, 32}), (AxisOrder{1, 2, 0}));
  EXPECT_EQ(order_of({4, 1, 4}, {32, 8, 8}), (AxisOrder{2, 0, 1}));
  EXPECT_EQ(order_of({1, 1, 4}, {8, 8, 8}), (AxisOrder{2, 0, 1}));
  EXPECT_EQ(order_of({1, 1, 1}, {99, 5, 1}), (AxisOrder{0, 1, 2}));
}

TEST(FieldView, OfAGridIsDenseWithTheHaloAround) {
  double cell = 0;
  const Width halo{{1, 2, 0}, {3, 0, 0}};
  const FieldView view = FieldView::grid(&cell, {10, 5, 2}, halo, Storage::x_fastest, "rho");
  EXPECT_EQ(view.name, "rho");
  EXPECT_EQ(view.extent, (Index3{14, 7, 2}));
  EXPECT_EQ(view.origin, (Index3{1, 2, 0}));
  EXPECT_EQ(view.stride_bytes, (Index3{8, 14 * 8, 14 * 7 * 8}));
  EXPECT_EQ(cells_with_halo({10, 5, 2}, halo), 14 * 7 * 2);
}

TEST(FieldView, OfAGridInCOrderHasZFastest) {
  float cell = 0;
  const FieldView view = FieldView::grid(&cell, {2, 3, 4}, Width::all(1), Storage::z_fastest);
  EXPECT_EQ(view.stride_bytes, (Index3{5 * 6 * 4, 6 * 4, 4}));
  EXPECT_EQ(view.shape().order, (AxisOrder{2, 1, 0}));
}

TEST(FieldView, OfAListIsOneRowOfElements) {
  float data[9] = {};
  const FieldView view = FieldView::list(data, 3, 3, "x");
  EXPECT_EQ(view.extent, (Index3{3, 1, 1}));
  EXPECT_EQ(view.element.bytes(), 12U);
  EXPECT_EQ(view.stride_bytes[0], 12);
  EXPECT_EQ(view.shape().order, (AxisOrder{0, 1, 2}));
}

TEST(FieldView, ShapeCarriesNameAndElement) {
  double cell = 0;
  const FieldShape shape = FieldView::grid(&cell, {1, 1, 1}, Width{}, Storage::x_fastest, "p").shape();
  EXPECT_EQ(shape, (FieldShape{"p", ElementType::of<double>(), {0, 1, 2}}));
}

}  // namespace
}  // namespace halyard
