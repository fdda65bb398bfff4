// See scene.hpp.
#include "unit/exchange/scene.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace halyard::test {
namespace {

RandomCase line_of(int ranks, std::int64_t cells, bool periodic, const Width& width) {
  return problem_of({Decomposition::grid(Box::of_extent({ranks * cells, 1, 1}), {ranks, 1, 1}),
                     {periodic, false, false},
                     width,
                     Reach::full});
}

}  // namespace

RandomCase problem_of(BoxHalo halo) { return {std::move(halo), {Storing{}}, "one field of doubles"}; }

RandomCase ring_of(int ranks, std::int64_t cells) { return line_of(ranks, cells, true, Width::axes(1, 0, 0)); }

RandomCase one_way_line_of(int ranks, std::int64_t cells) {
  return line_of(ranks, cells, false, {{1, 0, 0}, {0, 0, 0}});
}

RandomCase reducible(std::uint64_t seed, int ranks) {
  RandomCase problem = RandomCase::draw(seed, ranks);
  for (Storing& field : problem.fields) field.element = ElementType::of<double>();
  return problem;
}

Scene::Scene(RandomCase problem, int num_ranks, const Setting& setting)
    : problem_(std::move(problem)), world_(num_ranks, setting.exports, setting.decorate, setting.wait) {
  base::set_log("error", 0);  // that a test ends in the middle of a failure is no news
  for (int rank = 0; rank < num_ranks; ++rank) fields_.emplace_back(problem_, box_halo(problem_.halo, rank));
  bindings_ = bind_again();
}

Scene::Bindings Scene::bind_again() {
  std::vector<Plan> plans;
  std::vector<std::vector<FieldView>> views;
  for (int rank = 0; rank < num_ranks(); ++rank) {
    plans.emplace_back(box_halo(problem_.halo, rank), fields(rank).shapes, world_.facts(rank));
    views.push_back(fields(rank).views);
  }
  return world_.bind(std::move(plans), views);
}

void Scene::fill(std::uint64_t step) {
  for (RankFields& rank : fields_) rank.fill(step);
}

std::string Scene::check(std::uint64_t step) const {
  for (std::size_t r = 0; r < fields_.size(); ++r)
    if (const auto wrong = fields_[r].check(step); !wrong.empty()) return "rank " + std::to_string(r) + ": " + wrong;
  return {};
}

void Scene::fill_for_reverse(double owned, double ghost) {
  for (RankFields& rank : fields_)
    for (CodedField& field : rank.coded) field.fill_for_reverse(owned, ghost);
}

void drive_in_random_turns(Scene::Bindings& bindings, const std::vector<std::uint64_t>& numbers,
                           std::mt19937_64& random) {
  std::vector<std::size_t> pending(bindings.size());
  for (std::size_t r = 0; r < pending.size(); ++r) pending[r] = r;
  while (!pending.empty()) {
    const std::size_t at = random() % pending.size();
    if (bindings[pending[at]]->ready(numbers[pending[at]]))
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void drive_by_turns(Scene::Bindings& bindings, const std::vector<std::uint64_t>& numbers) {
  for (bool all_done = false; !all_done;) {
    all_done = true;
    for (std::size_t r = 0; r < bindings.size(); ++r) all_done = bindings[r]->ready(numbers[r]) && all_done;
  }
}

std::vector<Status> outcomes(Scene::Bindings& bindings, const std::vector<std::uint64_t>& numbers) {
  std::vector<Status> statuses;
  for (std::size_t r = 0; r < bindings.size(); ++r) statuses.push_back(bindings[r]->wait(numbers[r]));
  return statuses;
}

}  // namespace halyard::test
