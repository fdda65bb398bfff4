// The copy lists of the GPU bench, run on the host: the device code of copy_share.cuh with thread and block numbers of
// our own. All ranks of a case live in one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

struct Dim {
  std::uint32_t x;
};
static thread_local Dim threadIdx;
static thread_local Dim blockDim;
static inline std::uint32_t __umulhi(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}
using std::min;

#include "halo/cuda/kernels/copy_share.cuh"
#include "halo/cuda/messages.hpp"
#include "halo/fields.hpp"

namespace halyard::bench {
namespace {

constexpr double kUnwritten = -7.0;

void run_block(const CopyList& list, const Tiling& tiling, std::uint32_t block, std::uint32_t num_blocks, int odd) {
  blockDim.x = tiling.num_threads;
  for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) switch (tiling.cells_per_thread) {
      case 8:
        copy_share<8>(list, block, num_blocks, odd);
        break;
      case 4:
        copy_share<4>(list, block, num_blocks, odd);
        break;
      case 2:
        copy_share<2>(list, block, num_blocks, odd);
        break;
      default:
        copy_share<1>(list, block, num_blocks, odd);
    }
}

/// One rank: its array, its messages and two landing buffers in turn.
struct Rank {
  Rank(const BenchCase& bench_case, const Index3& grid, int rank, std::uint32_t num_threads)
      : geometry(make_geometry(bench_case, grid, rank)),
        memory(geometry),
        fields(geometry, memory.arrays()),
        messages({MPI_COMM_NULL, geometry, fields, run}, num_threads, 16),
        landing(static_cast<std::size_t>(messages.num_cells() + 2), double2{kUnwritten, kUnwritten}) {}

  double* buffer() { return &landing.data()->x; }

  Geometry geometry;
  PlainMemory memory;
  FieldSet fields;
  CudaRun run;
  Messages messages;
  std::vector<double2> landing;  // 16-byte aligned, as GPU memory is
  CopyList pack;
  CopyList unpack;
};

std::int64_t offset_of(const Rank& at, int sender) {
  for (const Messages::Part& part : at.messages.parts())
    if (part.rank == sender) return part.offset;
  ADD_FAILURE() << "rank " << sender << " is no peer of " << at.geometry.rank;
  return 0;
}

class World {
 public:
  World(const BenchCase& bench_case, const Index3& grid, std::uint32_t num_threads) {
    for (int rank = 0; rank < grid[0] * grid[1] * grid[2]; ++rank)
      ranks_.push_back(std::make_unique<Rank>(bench_case, grid, rank, num_threads));
    for (const auto& rank : ranks_) make_lists(*rank);
  }

  std::uint32_t num_blocks() const { return std::clamp(ranks_[0]->pack.num_tiles, 1U, 5U); }

  void fill(int epoch) {
    for (const auto& rank : ranks_) {
      rank->fields.fill(epoch);
      std::fill(rank->landing.begin(), rank->landing.end(), double2{kUnwritten, kUnwritten});
    }
  }

  /// Packs of the blocks [first, end) on all ranks, then their unpacks.
  void exchange(std::uint32_t first, std::uint32_t end, int odd) {
    for (const CopyList Rank::*list : {&Rank::pack, &Rank::unpack})
      for (const auto& rank : ranks_)
        for (std::uint32_t block = first; block < end; ++block)
          run_block((*rank).*list, rank->messages.tiling(), block, num_blocks(), odd);
  }

  std::int64_t num_wrong(int epoch) const {
    std::int64_t wrong = 0;
    for (const auto& rank : ranks_) wrong += rank->fields.num_wrong(epoch, GhostSource::owner);
    return wrong;
  }

  std::int64_t num_unwritten() const {
    std::int64_t found = 0;
    for (const auto& rank : ranks_)
      found +=
          std::count(rank->fields.arrays()[0], rank->fields.arrays()[0] + rank->geometry.array_cells(), kUnwritten);
    return found;
  }

 private:
  void make_lists(Rank& rank) {
    const std::int64_t slot = rank.messages.num_cells();
    std::vector<double*> bases;
    for (const Messages::Part& part : rank.messages.parts()) {
      Rank& peer = *ranks_[static_cast<std::size_t>(part.rank)];
      bases.push_back(peer.buffer() + offset_of(peer, rank.geometry.rank));
    }
    rank.pack = rank.messages.pack_list(bases, slot);
    rank.unpack = rank.messages.unpack_list(rank.buffer(), slot);
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
};

struct Shape {
  int axis;
  Index3 grid;
};

class GpuCopies : public testing::TestWithParam<Shape> {};

TEST_P(GpuCopies, fill_every_ghost_whatever_width_size_and_tiles) {
  for (const std::int64_t cells : {8, 9, 40})
    for (const std::int64_t width : {1, 2, 3})
      for (const std::uint32_t threads : {64U, 512U}) {
        World world({cells, width, 1, GetParam().axis}, GetParam().grid, threads);
        for (int epoch = 1; epoch <= 2; ++epoch) {
          world.fill(epoch);
          world.exchange(0, world.num_blocks(), epoch % 2);
          EXPECT_EQ(world.num_wrong(epoch), 0) << cells << " cells, width " << width << ", " << threads << " threads";
        }
      }
}

// What the fused kernel relies on: a block waits for the blocks of its own number only.
TEST_P(GpuCopies, a_block_unpacks_only_what_the_same_blocks_of_its_peers_packed) {
  for (const std::int64_t width : {1, 3}) {
    World world({40, width, 1, GetParam().axis}, GetParam().grid, 64);
    for (std::uint32_t block = 0; block < world.num_blocks(); ++block) {
      world.fill(1);
      world.exchange(block, block + 1, 1);
      EXPECT_EQ(world.num_unwritten(), 0) << "block " << block << ", width " << width;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpuCopies,
                         testing::Values(Shape{0, {1, 1, 1}}, Shape{0, {2, 1, 1}}, Shape{1, {1, 3, 1}},
                                         Shape{2, {1, 1, 2}}, Shape{2, {1, 1, 4}}, Shape{kAllAxes, {1, 1, 2}},
                                         Shape{kAllAxes, {1, 2, 2}}, Shape{kAllAxes, {2, 2, 2}}));

TEST(BenchGeometry, one_axis_has_two_halos_and_ghosts_on_that_axis_only) {
  const Geometry geometry = make_geometry({8, 2, 1, 2}, {1, 1, 2}, 0);
  EXPECT_EQ(geometry.extents(), (Index3{8, 8, 12}));
  ASSERT_EQ(geometry.halos.size(), 2U);
  EXPECT_EQ(geometry.halos[0].ghosts, (Box{{0, 0, 0}, {8, 8, 2}}));
  EXPECT_EQ(geometry.halos[1].ghosts, (Box{{0, 0, 10}, {8, 8, 12}}));
  EXPECT_EQ(geometry.bytes(), 2 * 8 * 8 * 2 * 8);
}

}  // namespace
}  // namespace halyard::bench
