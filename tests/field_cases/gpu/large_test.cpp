// Field case S03: 600,000 and 5,000,000 indices per neighbor, more than a grid of one block per 128 of them may have.
#include <gtest/gtest.h>

#include <cstring>

#include "support/gpu/device_under_test.hpp"
#include "support/gpu/mirror.hpp"
#include "support/gpu/world.hpp"

namespace halyard::test {
namespace {

// Rank 0 owns every second element of its field, rank 1 holds them as ghosts in another order: nothing is a long row.
std::vector<IndexHalo> lists_of(std::int64_t num_indices) {
  std::vector<IndexHalo> lists(2);
  for (std::int64_t i = 0; i < num_indices; ++i) {
    lists[0].owned.push_back(i);
    lists[0].owned_at.push_back(2 * i);
    lists[1].ghosts.push_back(num_indices - 1 - i);
  }
  return lists;
}

std::uint32_t code_of(std::int64_t id, std::uint32_t step) {
  return static_cast<std::uint32_t>(id) * 2654435761U + step;
}

class S03 : public testing::TestWithParam<std::tuple<std::int64_t, Path>> {};

TEST_P(S03, EachIndexOfALongListArrives) {
  const auto [num_indices, path] = GetParam();
  const auto lists = lists_of(num_indices);
  GpuWorld::Settings settings;
  settings.path = path;
  settings.wait.deadline_s = 100;
  GpuWorld world(2, device_under_test(), settings);
  std::vector<std::vector<std::uint32_t>> values(2);
  std::vector<GpuMirror> mirrors;
  std::vector<Plan> plans;
  std::vector<std::vector<FieldView>> views;
  for (int rank = 0; rank < 2; ++rank) {
    const Pattern pattern = index_halo(lists, rank);
    auto& mine = values[static_cast<std::size_t>(rank)];
    mine.resize(static_cast<std::size_t>(pattern.patches[0].box.extent(0)));
    const auto view = FieldView::list(mine.data(), static_cast<std::int64_t>(mine.size()));
    mirrors.emplace_back(world.shared_device(), world.ordinal(rank), std::vector{view});
    plans.emplace_back(pattern, std::vector{view.shape()}, world.facts(rank), halyard::Memory::gpu);
    views.push_back(mirrors.back().views());
  }
  auto bindings = world.bind(std::move(plans), views);
  for (std::size_t i = 0; i < values[0].size(); ++i) values[0][i] = code_of(static_cast<std::int64_t>(i), 3);
  for (GpuMirror& mirror : mirrors) mirror.upload();
  const Status status = world.run(bindings, exchange::Kind::forward);
  ASSERT_TRUE(status.ok()) << status.text();
  mirrors[1].download();
  std::int64_t num_wrong = 0;
  for (std::size_t i = 0; i < values[1].size(); ++i)
    num_wrong += values[1][i] != code_of(2 * lists[1].ghosts[i], 3) ? 1 : 0;
  EXPECT_EQ(num_wrong, 0) << "of " << num_indices;
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<std::int64_t, Path>>& tested) {
  return std::to_string(std::get<0>(tested.param)) + (std::get<1>(tested.param) == Path::peer ? "_peer" : "_staged");
}
INSTANTIATE_TEST_SUITE_P(Indices, S03,
                         testing::Values(std::tuple(600'000, Path::peer), std::tuple(600'000, Path::shared),
                                         std::tuple(5'000'000, Path::peer)),
                         name_of_case);

}  // namespace
}  // namespace halyard::test
