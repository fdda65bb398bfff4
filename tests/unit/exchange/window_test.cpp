// Windows: what a rank tells of its fields is where its neighbor finds them; closed when one of them is not open.
#include "exchange/window.hpp"

#include <gtest/gtest.h>

#include "exchange/view_check.hpp"
#include "halyard/status.hpp"
#include "transport/loopback/factory.hpp"

namespace halyard::exchange {
namespace {

using transport::loopback::Exports;

std::unique_ptr<transport::Worker> worker(Exports exports) {
  return transport::loopback::open_worker(Path::shared, exports);
}

TEST(Window, LeadsThePeerToTheFirstOwnedCell) {
  double memory[6 * 7] = {};
  FieldView forward = FieldView::grid(memory, {4, 5, 1}, Width::axes(1, 1, 0));
  FieldView backward = forward;
  backward.data = &memory[6 * 6];
  backward.stride_bytes[1] = -backward.stride_bytes[1];
  const FieldView views[2] = {forward, backward};
  const auto open = worker(Exports::everything);
  const auto window = window_of(views, *open);
  EXPECT_TRUE(is_open(window));
  const auto grids = grids_of(window, 1, *open);
  ASSERT_TRUE(grids);
  ASSERT_EQ(grids->size(), 2U);
  EXPECT_EQ((*grids)[0].first_owned, pack::place_of(&memory[6 + 1]));
  EXPECT_EQ((*grids)[1].first_owned, pack::place_of(&memory[5 * 6 + 1]));
  EXPECT_EQ((*grids)[1].stride_bytes, backward.stride_bytes);
}

TEST(Window, IsClosedWhenTheFieldsAreNotOpen) {
  double memory[4] = {};
  const FieldView view = FieldView::list(memory, 4);
  const auto closed = worker(Exports::nothing);
  const auto window = window_of({&view, 1}, *closed);
  EXPECT_FALSE(is_open(window));
  EXPECT_FALSE(grids_of(window, 1, *closed));
}

// Opens one address only.
class Picky final : public transport::Worker {
 public:
  explicit Picky(const void* open) : open_(open) {}
  Path path() const override { return Path::shared; }
  std::unique_ptr<transport::Channel> open(const transport::ChannelSpec&) override { return nullptr; }
  std::optional<std::uint64_t> exported(const void* data, std::size_t) const override {
    return data == open_ ? std::optional<std::uint64_t>(0) : std::nullopt;
  }

 private:
  const void* open_;
};

TEST(Window, IsClosedWhenOneFieldOfSeveralIsNotOpen) {
  double a[2] = {};
  double b[2] = {};
  const FieldView views[2] = {FieldView::list(a, 2), FieldView::list(b, 2)};
  EXPECT_TRUE(is_open(window_of({views, 1}, Picky(a))));
  EXPECT_FALSE(is_open(window_of(views, Picky(a))));
}

TEST(Window, IsOpenForPatchesWithoutCells) {
  const FieldView nothing;
  EXPECT_TRUE(is_open(window_of({&nothing, 1}, Picky(nullptr))));
  EXPECT_TRUE(is_open(window_of({}, Picky(nullptr))));
}

TEST(Window, ThatIsCutShortIsRefused) {
  double memory[4] = {};
  const FieldView view = FieldView::list(memory, 4);
  const auto open = worker(Exports::everything);
  auto window = window_of({&view, 1}, *open);
  window.pop_back();
  EXPECT_THROW((void)grids_of(window, 1, *open), Error);
}

}  // namespace
}  // namespace halyard::exchange
