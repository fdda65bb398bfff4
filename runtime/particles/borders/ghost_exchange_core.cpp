// What exchanges of ghosts have in common, see ghost_exchange.hpp.
#include <algorithm>

#include "base/hash.hpp"
#include "particles/borders/borders_core.hpp"

namespace halyard {

GhostExchangeCore::GhostExchangeCore(BordersCore& borders, const std::vector<std::string>& arrays)
    : borders_(borders), arrays_(particles::numbers_of(borders.particles(), arrays)) {
  base::Hash hash;
  for (const std::size_t a : arrays_) {
    const ElementType& element = borders.particles().arrays[a].element;
    hash.add(borders.particles().arrays[a].name)
        .add(static_cast<int>(element.scalar))
        .add(static_cast<std::uint64_t>(element.count));
  }
  shape_hash_ = hash.value();
}

GhostExchangeCore::~GhostExchangeCore() { borders_.remove(*this); }

bool GhostExchangeCore::is_listed() const {  // data path
  if (!borders_.is_listed()) return false;
  for (std::size_t a = 0; a < arrays_.size(); ++a)
    if (borders_.particles().arrays[arrays_[a]].data != listed_data_[a]) return false;
  return true;
}

void GhostExchangeCore::begin_listing() {
  listed_data_.clear();
  for (const std::size_t a : arrays_) listed_data_.push_back(borders_.particles().arrays[a].data);
}

std::vector<FieldView> GhostExchangeCore::views() const {
  std::vector<FieldView> views;
  const Particles& all = borders_.particles();
  for (const std::size_t a : arrays_) views.push_back(particles::view_of(all.arrays[a], all.capacity));
  return views;
}

std::vector<FieldShape> GhostExchangeCore::shapes() const {
  std::vector<FieldShape> shapes;
  for (const std::size_t a : arrays_) {
    const ParticleArray& array = borders_.particles().arrays[a];
    shapes.push_back({array.name, array.element, {0, 1, 2}});
  }
  return shapes;
}

Plan GhostExchangeCore::plan(const PathFacts& facts, Memory memory,
                             std::span<const std::array<std::int64_t, 2>> num_elements) const {
  Pattern pattern{PatternKind::elements, facts.rank, facts.num_ranks, {}, {}};
  pattern.patches.push_back({facts.rank, Box::of_extent({borders_.particles().num_owned, 1, 1}), {}});
  for (std::size_t n = 0; n < borders_.lists().to().size(); ++n) {
    PatternNeighbor neighbor;
    neighbor.rank = borders_.lists().to()[n].rank;
    if (!num_elements.empty() && num_elements[n][0] > 0) neighbor.sends.push_back({{}, {}, num_elements[n][0]});
    if (!num_elements.empty() && num_elements[n][1] > 0) neighbor.receives.push_back({{}, {}, num_elements[n][1]});
    pattern.neighbors.push_back(std::move(neighbor));
  }
  std::vector<FieldShape> fields = shapes();
  for (FieldShape& shape : fields)  // a plan knows elements of at most 64 bytes; an array here may have larger ones
    shape.element.count = std::min<std::uint32_t>(shape.element.count, 8);
  return Plan(std::move(pattern), std::move(fields), facts, memory);
}

std::uint64_t GhostExchangeCore::hash_of(const particles::Listing& listing, std::int64_t count, bool is_forward) const {
  return base::Hash().add(listing.build).add(count).add(shape_hash_).add(is_forward ? 1 : 0).value();
}

}  // namespace halyard
