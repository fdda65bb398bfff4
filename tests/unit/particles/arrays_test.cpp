// roles_of and make_room: each promise about the caller's arrays, refused in words when it is broken.
#include "particles/arrays.hpp"

#include <gtest/gtest.h>

#include "unit/error_text.hpp"

namespace halyard::particles {
namespace {

class Arrays : public testing::Test {
 protected:
  Arrays() {
    set.arrays = {ParticleArray::interleaved("x", x, 3), ParticleArray::interleaved("id", id),
                  ParticleArray::planes("image", image, 3, 4), ParticleArray::interleaved("m", marks)};
    set.id = "id";
    set.image = "image";
    set.capacity = 4;
    set.num_owned = 2;
  }
  std::string refusal() {
    return test::error_text(StatusCode::invalid_argument, [&] { (void)roles_of(set); });
  }

  struct Mark {
    char letters[7];
  };
  double x[12] = {};
  std::int64_t id[4] = {};
  std::int32_t image[12] = {};
  Mark marks[4] = {};
  Particles set;
};

TEST_F(Arrays, AreTakenInEveryLayoutAndGiveTheSizeOfARecord) {
  const Roles roles = roles_of(set);
  EXPECT_EQ(roles.record_bytes, 24 + 8 + 12 + 7);
  EXPECT_EQ(roles.position, Scalar::f64);
  EXPECT_EQ(roles.migrating.size(), 4U);
  float y[12] = {};
  set.arrays.push_back(ParticleArray::interleaved("fx", y));
  set.arrays.push_back(ParticleArray::interleaved("fy", y + 4));
  set.arrays.push_back(ParticleArray::interleaved("fz", y + 8));
  set.position = {"fx", "fy", "fz"};
  EXPECT_EQ(roles_of(set).position, Scalar::f32);
  EXPECT_EQ(roles_of(set).axes[2].array, 6U);
}

TEST_F(Arrays, AreRefusedWithTheirNameAndWhatIsWrong) {
  using testing::HasSubstr;
  const auto with = [&](auto change) {
    const Particles good = set;
    change();
    const std::string text = refusal();
    set = good;
    return text;
  };
  EXPECT_EQ(refusal(), "nothing was thrown");
  EXPECT_THAT(with([&] { set.position = {"y"}; }), HasSubstr("no array 'y' for positions; there are: x, id, image, m"));
  EXPECT_THAT(with([&] { set.position = {"x", "x"}; }), HasSubstr("2 arrays hold positions"));
  EXPECT_THAT(with([&] { set.position = {"id"}; }), HasSubstr("3 component(s) of float or double"));
  EXPECT_THAT(with([&] { set.id = "x"; }), HasSubstr("wrong type for ids"));
  EXPECT_THAT(with([&] { set.image = "id"; }), HasSubstr("wrong type for images"));
  EXPECT_THAT(with([&] { set.arrays[1].name = "x"; }), HasSubstr("two arrays called 'x'"));
  EXPECT_THAT(with([&] { set.arrays[0].data = nullptr; }), HasSubstr("'x' is null"));
  EXPECT_THAT(with([&] { set.arrays[0].migrates = false; }), HasSubstr("must migrate"));
  EXPECT_THAT(with([&] { set.arrays[1].migrates = false; }), HasSubstr("must migrate"));
  EXPECT_THAT(with([&] { set.arrays[0].stride_bytes = 0; }), HasSubstr("goes 0 bytes"));
  EXPECT_THAT(with([&] { set.arrays[0].element.count = 0; }), HasSubstr("no components"));
  EXPECT_THAT(with([&] { set.num_owned = 5; }), HasSubstr("5 owned and 0 ghosts do not fit a capacity of 4"));
  EXPECT_THAT(with([&] { set.num_owned = -1; }), HasSubstr("-1 owned"));
}

TEST_F(Arrays, GrowThroughTheCallersFunctionOrSayWhatIsMissing) {
  const auto refusal_of = [&](std::int64_t needed) {
    return test::error_text(StatusCode::out_of_resources, [&] { make_room(set, needed); });
  };
  EXPECT_EQ(refusal_of(4), "nothing was thrown");
  EXPECT_THAT(refusal_of(5), testing::HasSubstr("hold 5 particles and ghosts in arrays with room for 4"));
  set.grow = [](Particles&, std::int64_t) {};
  EXPECT_THAT(refusal_of(5), testing::HasSubstr("left the capacity at 4"));
  set.grow = [](Particles& particles, std::int64_t at_least) {
    particles.capacity = at_least;
    particles.arrays[3].data = nullptr;
  };
  EXPECT_THAT(refusal_of(6), testing::HasSubstr("left 'm' null"));
}

}  // namespace
}  // namespace halyard::particles
