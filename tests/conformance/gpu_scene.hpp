// GpuScene: one halo problem on all ranks of a GpuWorld: coded fields, their mirrors in GPU memory and one binding per
// rank. What most tests of exchanges on a GPU are played on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/random_case.hpp"
#include "support/gpu/mirror.hpp"
#include "support/gpu/world.hpp"

namespace halyard::test {

/// Ranks in a row along x, `cells` each way; periodic, so that each rank has its neighbors and itself. One field of
/// double whose messages go through landing buffers.
RandomCase gpu_row(int num_ranks, std::int64_t cells = 3);
/// Ranks in a row along z with rows long enough to be stored straight into ghosts.
RandomCase gpu_planes(int num_ranks);

class GpuScene {
 public:
  using Launches = GpuWorld::Launches;
  /// How a rank takes the memory of its fields; none: from its device.
  using Allocate = std::function<std::shared_ptr<void>(int rank, std::size_t bytes)>;

  /// The world must live as long.
  GpuScene(GpuWorld& world, RandomCase problem, const Allocate& allocate = nullptr);

  GpuWorld& world() { return world_; }
  int num_ranks() const { return world_.num_ranks(); }
  GpuWorld::Bindings& bindings() { return bindings_; }
  GpuBinding& binding(int rank) { return static_cast<GpuBinding&>(*bindings_[static_cast<std::size_t>(rank)]); }
  RankFields& fields(int rank) { return fields_[static_cast<std::size_t>(rank)]; }
  GpuMirror& mirror(int rank) { return mirrors_[static_cast<std::size_t>(rank)]; }
  Plan plan(int rank) const;
  /// New bindings of the same memory in the place of those that are there.
  void bind();
  std::string explain();

  void fill(std::uint64_t step);
  /// The first wrong cell of any rank, or nothing.
  std::string check(std::uint64_t step);
  /// Fills, exchanges forward, waits, checks; nothing when all is right.
  std::string run(std::uint64_t step, Launches launches = Launches::one);

  /// Enqueue only, on the rank's stream.
  std::uint64_t start(int rank, exchange::Kind kind = exchange::Kind::forward) {
    return binding(rank).start_in(world_.stream(rank), kind, Reduce::sum, ReduceOrder::fixed);
  }
  std::uint64_t run_one(int rank, exchange::Kind kind = exchange::Kind::forward) {
    return binding(rank).run_in(world_.stream(rank), kind, Reduce::sum, ReduceOrder::fixed);
  }

 private:
  GpuWorld& world_;
  std::vector<Pattern> patterns_;
  std::vector<RankFields> fields_;
  std::vector<GpuMirror> mirrors_;
  GpuWorld::Bindings bindings_;
};

/// Bytes that one exchange sends to other ranks, over all ranks.
std::uint64_t bytes_sent(GpuScene& scene);

}  // namespace halyard::test
