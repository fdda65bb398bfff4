// See gpu_scene.hpp.
#include "conformance/gpu_scene.hpp"

namespace halyard::test {

RandomCase gpu_row(int num_ranks, std::int64_t cells) {
  const Box domain = Box::of_extent({cells * num_ranks, cells, cells});
  const auto grid = Decomposition::grid(domain, {num_ranks, 1, 1});
  return {{grid, {true, true, true}, Width::all(1), Reach::full}, {Storing{}}, "ranks in a row"};
}

RandomCase gpu_planes(int num_ranks) {
  const auto grid = Decomposition::grid(Box::of_extent({64, 8, 2 * num_ranks}), {1, 1, num_ranks});
  return {{grid, {true, true, true}, Width::axes(0, 0, 1), Reach::faces},
          {Storing{ElementType::of<float>()}},
          "planes of z"};
}

GpuScene::GpuScene(GpuWorld& world, RandomCase problem, const Allocate& allocate) : world_(world) {
  for (int rank = 0; rank < world.num_ranks(); ++rank) {
    patterns_.push_back(box_halo(problem.halo, rank));
    fields_.emplace_back(problem, patterns_.back());
    GpuMirror::Allocate mine;
    if (allocate) mine = [&](std::size_t bytes) { return allocate(rank, bytes); };
    mirrors_.emplace_back(world.shared_device(rank), world.ordinal(rank), fields_.back().views, mine);
  }
  bind();
}

Plan GpuScene::plan(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  return Plan(patterns_[r], fields_[r].shapes, world_.facts(rank), halyard::Memory::gpu);
}

void GpuScene::bind() {
  bindings_.clear();
  std::vector<Plan> plans;
  std::vector<std::vector<FieldView>> views;
  for (int rank = 0; rank < num_ranks(); ++rank) {
    plans.push_back(plan(rank));
    views.push_back(mirror(rank).views());
  }
  bindings_ = world_.bind(std::move(plans), views);
}

std::string GpuScene::explain() {
  std::string text;
  for (const auto& binding : bindings_) text += binding->explain();
  return text;
}

void GpuScene::fill(std::uint64_t step) {
  for (int rank = 0; rank < num_ranks(); ++rank) {
    fields(rank).fill(step);
    mirror(rank).upload();
  }
}

std::string GpuScene::check(std::uint64_t step) {
  for (int rank = 0; rank < num_ranks(); ++rank) {
    mirror(rank).download();
    if (const auto wrong = fields(rank).check(step); !wrong.empty())
      return "rank " + std::to_string(rank) + ": " + wrong + "\n" + binding(rank).explain();
  }
  return {};
}

std::string GpuScene::run(std::uint64_t step, Launches launches) {
  fill(step);
  const Status status = world_.run(bindings_, exchange::Kind::forward, launches);
  return status.ok() ? check(step) : status.text();
}

std::uint64_t bytes_sent(GpuScene& scene) {
  std::uint64_t bytes = 0;
  for (int rank = 0; rank < scene.num_ranks(); ++rank)
    for (const PlanNeighbor& neighbor : scene.binding(rank).plan().neighbors())
      if (neighbor.rank != rank) bytes += static_cast<std::uint64_t>(neighbor.send.bytes);
  return bytes;
}

}  // namespace halyard::test
