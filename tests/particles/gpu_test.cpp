// What only particles in GPU memory have: exchanges in the order of a stream, and refusals of memory that will not do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/emulated.hpp"
#include "mpi/ranks.hpp"
#include "particles/ghosts.hpp"

namespace halyard::test {
namespace {

class GpuParticles : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gas(GetParam()); !why.empty()) GTEST_SKIP() << why;
    device_ = gpu_device();
    stream_ = device_->create_stream(device_->current_gpu());
  }
  void TearDown() override {
    if (device_ != nullptr) device_->destroy_stream(stream_);
  }
  GasMemory memory() { return GasMemory::on(context, GetParam()); }
  void fill(Gas& gas, std::uint64_t seed) {
    const Gas::Bulk bulk(gas);
    std::mt19937_64 random(seed);
    for (std::int64_t id = 0; id < 300; ++id) {
      const Point3 p = point_in(domain.box, random);
      if (id % context.size() == context.rank()) gas.add(id, p);
    }
  }

  Context context{MPI_COMM_WORLD, gas_options_of(GetParam())};
  ParticleDomain domain = domain_of(MPI_COMM_WORLD);
  std::shared_ptr<device::Device> device_;
  Stream stream_;
};

// Nobody waits for a Transfer: the stream is waited for, before particles move.
TEST_P(GpuParticles, ExchangesInAStreamNeedNoWaitButForTheStreamBeforeAMigration) {
  Gas gas(memory(), Layout::interleaved);
  fill(gas, 3);
  Migrator migrator(context, domain, gas.set());
  Borders borders(context, domain, gas.set(), {.reach = 1.5});
  GhostExchange positions(borders, {"x", "id"});
  GhostExchange values(borders, {"v", "kind", "mark"});
  std::mt19937_64 random(static_cast<std::uint64_t>(context.rank()));
  for (int round = 0; round < 4; ++round) {
    migrator.migrate();
    borders.build();
    for (int step = 0; step < 5; ++step) {
      Transfer split = positions.forward(stream_);
      Transfer whole = values.forward_and_wait_on(stream_);
      EXPECT_EQ(first_wrong(MPI_COMM_WORLD, split.wait_on(stream_).text() + whole.wait_on(stream_).text()), "");
    }
    EXPECT_TRUE(device_->synchronize(stream_, device_->current_gpu()).ok());
    std::string wrong = wrong_ghosts(everybody(MPI_COMM_WORLD, gas), domain, gas, borders, context.rank());
    wrong += gas.wrong_codes(gas.set().num_owned + gas.set().num_ghosts);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << round;
    for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
      Point3 p = gas.position(i);
      for (double& x : p) x += between(-2, 2, random);
      gas.set_position(i, p);
    }
  }
}

// A kernel that waits would keep the GPU from the rank that it waits for: one launch sends, the stream waits, one
// takes.
TEST_P(GpuParticles, RanksThatShareAGpuWaitForGhostsInTheirStreams) {
  auto* emulated = dynamic_cast<device::EmulatedDevice*>(device_.get());
  if (emulated == nullptr) GTEST_SKIP() << "elsewhere ranks may have GPUs of their own, and launches are not counted";
  Gas gas(memory(), Layout::interleaved);
  fill(gas, 7);
  Migrator(context, domain, gas.set()).migrate();
  Borders borders(context, domain, gas.set(), {.reach = 1.5});
  GhostExchange positions(borders, {"x", "id"});
  borders.build();
  const bool is_shared = context.size() > 1;
  const std::string text = positions.explain();
  EXPECT_EQ(text.find("streams wait for neighbors, kernels do not") != std::string::npos, is_shared) << text;
  const auto before = emulated->counts().launches;
  Transfer last;
  for (int n = 0; n < 3; ++n) last = positions.forward_and_wait_on(stream_);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, last.wait().text()), "");
  EXPECT_EQ(emulated->counts().launches - before, is_shared ? 6U : 3U);
}

TEST_P(GpuParticles, ABuildWaitsForTheExchangesBeforeIt) {
  auto* emulated = dynamic_cast<device::EmulatedDevice*>(device_.get());
  if (emulated == nullptr) GTEST_SKIP() << "no work takes as long as one likes here";
  Gas gas(memory(), Layout::interleaved);
  fill(gas, 11);
  Migrator(context, domain, gas.set()).migrate();
  Borders borders(context, domain, gas.set(), {.reach = 1.5});
  GhostExchange positions(borders, {"x", "id"});
  borders.build();
  emulated->set_delay(stream_, std::chrono::milliseconds(40));
  const Status status = positions.forward_and_wait_on(stream_).wait_on(stream_);
  const bool was_busy = !device_->is_idle(stream_, device_->current_gpu());
  borders.build();
  std::string wrong = status.text() + (was_busy ? "" : "too soon over");
  if (!device_->is_idle(stream_, device_->current_gpu())) wrong += "still running";
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

// What a rebuild costs where nothing has to grow: each wait is some ten microseconds in which a GPU does nothing.
TEST_P(GpuParticles, ARebuildWaitsFourTimesAndAllocatesNothing) {
  auto* emulated = dynamic_cast<device::EmulatedDevice*>(device_.get());
  if (emulated == nullptr) GTEST_SKIP() << "elsewhere nobody counts";
  if (GetParam().path != Path::peer) GTEST_SKIP() << "messages through the host have work of their own";
  Gas gas(memory(), Layout::interleaved, 2000);
  fill(gas, 13);
  Migrator migrator(context, domain, gas.set());
  Borders borders(context, domain, gas.set(), {.reach = 1.5});
  GhostExchange positions(borders, {"x", "id"});
  GhostExchange values(borders, {"v"});
  std::mt19937_64 random(static_cast<std::uint64_t>(context.rank()));
  std::int64_t num_arrived = 0;
  for (int round = 0; round < 8; ++round) {
    const auto before = emulated->counts();
    num_arrived += migrator.migrate().num_arrived;
    const auto migrated = emulated->counts();
    borders.build();
    const auto after = emulated->counts();
    if (round >= 3) {  // by now there is room
      EXPECT_LE(migrated.launches - before.launches, 6U) << "count, list, bring, write back, place, fill holes";
      EXPECT_LE(migrated.synchronizes - before.synchronizes, 2U);
      EXPECT_LE(after.launches - migrated.launches, 2U) << "count, list";
      EXPECT_EQ(after.stream_copies - before.stream_copies, 2U) << "the tables of each exchange";
      EXPECT_LE(after.synchronizes - migrated.synchronizes, 2U);
      EXPECT_EQ(after.copies, before.copies);
      EXPECT_EQ(after.allocations, before.allocations);
      EXPECT_EQ(after.mapped_allocations, before.mapped_allocations);
    }
    for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
      Point3 p = gas.position(i);
      for (double& x : p) x += between(-1, 1, random);
      gas.set_position(i, p);
    }
  }
  EXPECT_TRUE(num_arrived > 0 || context.size() == 1);
}

// The tables of reverse exchanges are made when the first one starts, also when positions are no longer those of the
// build, and from then on by builds.
TEST_P(GpuParticles, AFirstReverseLongAfterItsBuildGivesTheSumsOfOneRightAfterIt) {
  std::vector<double> sums[2];
  for (const bool comes_late : {false, true}) {
    Gas gas(memory(), Layout::separate);
    fill(gas, 5);
    Migrator(context, domain, gas.set()).migrate();
    Borders borders(context, domain, gas.set(), {.reach = 2.5});
    GhostExchange forces(borders, {"f"});
    borders.build();
    for (std::int64_t i = 0; i < 3 * (gas.set().num_owned + gas.set().num_ghosts); ++i)
      gas.set_number("f", i / 3, i % 3, 1.0 / (1.0 + static_cast<double>(i)));
    for (std::int64_t i = 0; comes_late && i < gas.set().num_owned; ++i) gas.set_position(i, {1, 1, 1});
    EXPECT_EQ(first_wrong(MPI_COMM_WORLD, forces.reverse_and_wait_on(stream_).wait().text()), "");
    for (std::int64_t i = 0; i < 3 * gas.set().num_owned; ++i)
      sums[comes_late ? 1 : 0].push_back(gas.number("f", i / 3, i % 3));
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, sums[0] == sums[1] ? "" : "other sums"), "");
}

TEST_P(GpuParticles, SumsOfSeveralReversesInAStreamAreThoseOfWaitingForEach) {
  std::vector<double> sums[2];
  for (const bool waits : {false, true}) {
    Gas gas(memory(), Layout::separate);
    fill(gas, 5);
    Migrator(context, domain, gas.set()).migrate();
    Borders borders(context, domain, gas.set(), {.reach = 2.5});
    GhostExchange forces(borders, {"f"});
    borders.build();
    for (std::int64_t i = 0; i < 3 * (gas.set().num_owned + gas.set().num_ghosts); ++i)
      gas.set_number("f", i / 3, i % 3, 1.0 / (1.0 + static_cast<double>(i)));
    Transfer last;
    for (int n = 0; n < 4; ++n) {
      last = forces.reverse_and_wait_on(stream_);
      if (waits) {
        EXPECT_TRUE(last.wait().ok());
      }
    }
    EXPECT_EQ(first_wrong(MPI_COMM_WORLD, last.wait().text()), "");
    for (std::int64_t i = 0; i < 3 * gas.set().num_owned; ++i)
      sums[waits ? 1 : 0].push_back(gas.number("f", i / 3, i % 3));
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, sums[0] == sums[1] ? "" : "other sums"), "");
}

TEST_P(GpuParticles, MemoryOfTwoKindsIsTheSameErrorOnAllRanks) {
  if (context.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  Gas gas(context.rank() == 0 ? memory() : GasMemory(allocate_plain), Layout::interleaved);
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"GPU memory on some ranks", "host memory"},
                              [&] { Migrator(context, domain, gas.set()); }),
            "");
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"GPU memory on some ranks", "host memory"},
                              [&] { Borders(context, domain, gas.set(), {.reach = 1.0}); }),
            "");
}

TEST_P(GpuParticles, PositionsThatAreNotAlignedAreTheSameErrorOnAllRanks) {
  Gas gas(memory(), Layout::interleaved);
  fill(gas, 7);
  ParticleArray& x = gas.set().arrays.front();
  Borders borders(context, domain, gas.set(), {.reach = 1.0});
  x.data = static_cast<std::byte*>(x.data) + 4;
  --gas.set().num_owned;
  --gas.set().capacity;
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"array 'x'", "not aligned"},
                              [&] { borders.build(); }),
            "");
  x.data = static_cast<std::byte*>(x.data) - 4;
}

TEST_P(GpuParticles, GrowingIntoHostMemoryIsAnErrorOnAllRanksThatNamesBoth) {
  Gas gas(memory(), Layout::interleaved);
  fill(gas, 9);
  Migrator(context, domain, gas.set()).migrate();
  Borders borders(context, domain, gas.set(), {.reach = 3.0});
  std::vector<std::shared_ptr<std::byte[]>> host;
  gas.grow(gas.set().num_owned);
  gas.set().grow = [&](Particles& particles, std::int64_t at_least) {
    for (ParticleArray& array : particles.arrays) {
      host.push_back(allocate_plain(static_cast<std::size_t>(at_least * array.stride_bytes)));
      array.data = host.back().get();
    }
    particles.capacity = at_least;
  };
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument,
                              {"host memory", "memory of GPU", "keep them"}, [&] { borders.build(); }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuParticles, testing::Values(kGpuPeer, kGpuStaged), name_of_way);

class GpuStaging : public testing::Test {};

TEST_F(GpuStaging, IsRefusedWithItsReasonWhereItIsForbidden) {
  if (const auto why = why_no_gas(kGpuStaged); !why.empty()) GTEST_SKIP() << why;
  Options options = options_of(kGpuStaged);
  options.allow_staging = false;
  Context context(MPI_COMM_WORLD, options);
  if (context.size() == 1) GTEST_SKIP() << "one rank stages nothing";
  Gas gas(gpu_device(), Layout::interleaved);
  gas.add(context.rank(), {0, 1, 2});
  const auto domain = domain_of(MPI_COMM_WORLD);
  Borders borders(context, domain, gas.set(), {.reach = 1.0});
  EXPECT_EQ(not_refused_alike(MPI_COMM_WORLD, StatusCode::not_supported,
                              {"staged through host memory", "allow_staging"}, [&] { GhostExchange(borders, {"x"}); }),
            "");
}

}  // namespace
}  // namespace halyard::test
