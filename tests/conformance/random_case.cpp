// See random_case.hpp.
#include "conformance/random_case.hpp"

#include <algorithm>
#include <sstream>

namespace halyard::test {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {  // both included
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool yes() { return engine_() % 2 == 0; }
  template <class T>
  T of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

Index3 ranks_of(Draw& draw, int num_ranks, int num_dims) {
  Index3 ranks{1, 1, 1};
  int rest = num_ranks;
  for (int factor = 2; rest > 1;) {
    if (rest % factor != 0) {
      ++factor;
      continue;
    }
    ranks[static_cast<std::size_t>(draw.between(0, num_dims - 1))] *= factor;
    rest /= factor;
  }
  return ranks;
}

Decomposition decomposition_of(Draw& draw, int num_ranks, int num_dims) {
  const Index3 ranks = ranks_of(draw, num_ranks, num_dims);
  Index3 per_rank{1, 1, 1};
  if (draw.between(0, 2) == 0) per_rank[static_cast<std::size_t>(draw.between(0, num_dims - 1))] = 3;
  Box domain;
  for (std::size_t a = 0; a < 3; ++a) {
    domain.lo[a] = draw.between(-3, 3);
    // Now and then fewer cells than parts, so that some are empty.
    const std::int64_t cells =
        a < static_cast<std::size_t>(num_dims) ? draw.between(1, 5) * ranks[a] + draw.between(0, 2) : 1;
    domain.hi[a] = domain.lo[a] + std::max<std::int64_t>(1, draw.between(0, 7) == 0 ? cells / 3 : cells);
  }
  const auto grid = Decomposition::grid(domain, ranks, per_rank);
  if (draw.between(0, 3) != 0) return grid;
  std::vector<Patch> patches;  // the same patches as a list, in another order, perhaps on other ranks, one missing
  for (int id = 0; id < grid.num_patches(); ++id) patches.push_back(grid.patch(id));
  if (draw.yes() && patches.size() > 2) patches.pop_back();
  for (std::size_t i = patches.size(); i > 1; --i)
    std::swap(patches[i - 1], patches[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(i) - 1))]);
  if (draw.yes())
    for (Patch& patch : patches) patch.rank = static_cast<int>(draw.between(0, num_ranks - 1));
  return Decomposition::patches(domain, num_ranks, std::move(patches));
}

Storing storing_of(Draw& draw) {
  Storing storing;
  const auto bytes = draw.of<std::uint32_t>({1, 2, 4, 8, 12, 16, 24, 33, 64});
  storing.element = ElementType::opaque(bytes);
  if (bytes % 8 == 0 && draw.yes()) storing.element = ElementType::of<double>(bytes / 8);
  for (std::size_t i = 3; i > 1; --i)
    std::swap(storing.order[i - 1],
              storing.order[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(i) - 1))]);
  if (draw.between(0, 2) == 0)
    for (std::size_t a = 0; a < 3; ++a) {
      storing.extra_below[a] = draw.between(0, 2);
      storing.extra_above[a] = draw.between(0, 2);
    }
  if (draw.between(0, 3) == 0) storing.extra_bytes = draw.between(1, 9);
  return storing;
}

std::string text_of(std::uint64_t seed, int num_ranks, const BoxHalo& halo, std::size_t num_fields) {
  std::ostringstream text;
  text << "seed " << seed << ", " << num_ranks << " ranks, domain";
  for (std::size_t a = 0; a < 3; ++a)
    text << " " << halo.cells.domain().extent(a) << (halo.periodic[a] ? "p" : "") << " width " << halo.width.lo[a]
         << "/" << halo.width.hi[a];
  text << ", " << halo.cells.num_patches() << " patches, " << (halo.reach == Reach::full ? "full" : "faces") << ", "
       << num_fields << " fields";
  return text.str();
}

}  // namespace

RandomCase RandomCase::draw(std::uint64_t seed, int num_ranks) {
  Draw draw(seed * 1000003 + static_cast<std::uint64_t>(num_ranks));
  const int num_dims = static_cast<int>(draw.between(1, 3));
  RandomCase result{
      {decomposition_of(draw, num_ranks, num_dims), {}, {}, draw.yes() ? Reach::full : Reach::faces}, {}, {}};
  for (std::size_t a = 0; a < static_cast<std::size_t>(num_dims); ++a) {
    result.halo.periodic[a] = draw.yes();
    result.halo.width.lo[a] = draw.between(0, 4);
    result.halo.width.hi[a] = draw.yes() ? result.halo.width.lo[a] : draw.between(0, 4);
  }
  const int num_fields = draw.yes() ? 1 : 3;
  for (int f = 0; f < num_fields; ++f) result.fields.push_back(storing_of(draw));
  result.text = text_of(seed, num_ranks, result.halo, result.fields.size());
  return result;
}

RankFields::RankFields(const RandomCase& problem, const Pattern& pattern, const Allocate& allocate) {
  for (std::size_t f = 0; f < problem.fields.size(); ++f) {
    for (const LocalPatch& patch : pattern.patches) {
      coded.emplace_back(problem.halo, patch, problem.fields[f], static_cast<int>(f), allocate);
      views.push_back(coded.back().view());
    }
    shapes.push_back({"coded" + std::to_string(f), problem.fields[f].element, problem.fields[f].order});
  }
}

void RankFields::fill(std::uint64_t step) {
  for (CodedField& field : coded) field.fill(step);
}

std::string RankFields::check(std::uint64_t step) const {
  for (const CodedField& field : coded)
    if (auto wrong = field.check(step); !wrong.empty()) return wrong;
  return {};
}

}  // namespace halyard::test
