// See gas.hpp.
#include "particles/gas.hpp"

#include <algorithm>
#include <cstring>

namespace halyard::test {
namespace {

constexpr std::int64_t kRecordBytes = 136;

double velocity_of(std::int64_t id, std::int64_t component) {
  return 3.0 * static_cast<double>(id) + static_cast<double>(component) + 0.5;
}
std::int32_t kind_of(std::int64_t id) { return static_cast<std::int32_t>(id * 7919 % 1000003); }
std::byte mark_of(std::int64_t id, std::int64_t byte) { return static_cast<std::byte>((id * 31 + byte * 17) & 0xff); }

}  // namespace

Gas::Gas(GasMemory memory, Layout layout, std::int64_t capacity) : memory_(std::move(memory)), layout_(layout) {
  const auto where = [](std::uint32_t components, std::size_t scalar) {
    return std::pair(static_cast<std::int64_t>(components * scalar), static_cast<std::int64_t>(scalar));
  };
  const auto simple = [&](const char* name, ElementType element) {
    const auto [stride, component] = where(element.count, bytes_of(element.scalar));
    add_array({name, nullptr, element, stride, component});
  };
  if (layout == Layout::separate) {
    for (const char* name : {"x", "y", "z"}) simple(name, ElementType::of<double>());
    set_.position = {"x", "y", "z"};
  } else {
    simple("x", layout == Layout::planes ? ElementType::of<float>(3) : ElementType::of<double>(3));
  }
  simple("v", ElementType::of<double>(3));
  simple("kind", ElementType::of<std::int32_t>());
  simple("mark", ElementType::opaque(5));
  simple("id", ElementType::of<std::int64_t>());
  simple("image", ElementType::of<std::int32_t>(3));
  simple("f", ElementType::of<double>(3));
  set_.arrays.back().migrates = false;
  set_.id = "id";
  set_.image = "image";
  set_.grow = [this](Particles&, std::int64_t at_least) { grow(at_least + at_least / 8 + 1); };
  set_.capacity = capacity;
  allocate();
}

void Gas::add_array(ParticleArray array) { set_.arrays.push_back(std::move(array)); }

std::byte* Gas::taken(std::size_t bytes) {
  const std::vector<std::byte> fill(bytes, std::byte{0x5a});
  Block block;
  block.bytes = bytes;
  if (memory_.gpu == nullptr) {
    block.memory = memory_.allocate(bytes);
  } else {
    auto* memory = static_cast<std::byte*>(memory_.gpu->allocate(memory_.gpu->current_gpu(), bytes));
    block.memory = {memory, [device = memory_.gpu](std::byte* freed) { device->deallocate(freed); }};
  }
  if (num_bulks_ > 0) block.image = fill;
  blocks_.push_back(std::move(block));
  copy(blocks_.back().memory.get(), fill.data(), bytes);
  return blocks_.back().memory.get();
}

void Gas::copy(void* target, const void* source, std::size_t bytes) const {
  if (memory_.gpu != nullptr && num_bulks_ == 0) return memory_.gpu->copy(target, source, bytes);
  if (Block* block = block_of(source))
    source = block->image.data() + (static_cast<const std::byte*>(source) - block->memory.get());
  if (Block* block = block_of(target)) {
    block->is_written = true;
    target = block->image.data() + (static_cast<std::byte*>(target) - block->memory.get());
  }
  std::memcpy(target, source, bytes);
}

// Null where there are no images.
Gas::Block* Gas::block_of(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  for (Block& block : blocks_)
    if (memory_.gpu != nullptr && at >= block.memory.get() && at < block.memory.get() + block.bytes) return &block;
  return nullptr;
}

void Gas::begin_bulk() const {
  if (num_bulks_++ > 0 || memory_.gpu == nullptr) return;
  for (Block& block : blocks_) {
    block.image.resize(block.bytes);
    memory_.gpu->copy(block.image.data(), block.memory.get(), block.bytes);
    block.is_written = false;
  }
}

void Gas::end_bulk() const {
  if (--num_bulks_ > 0 || memory_.gpu == nullptr) return;
  for (const Block& block : blocks_)
    if (block.is_written) memory_.gpu->copy(block.memory.get(), block.image.data(), block.bytes);
}

// On a GPU members of records must be aligned where they are numbers; on the host nothing need be.
void Gas::allocate() {
  const auto capacity = static_cast<std::size_t>(std::max<std::int64_t>(set_.capacity, 1));
  std::byte* records = layout_ == Layout::records ? taken(capacity * kRecordBytes) : nullptr;
  std::int64_t offset = 0;
  for (ParticleArray& array : set_.arrays) {
    const std::size_t scalar = bytes_of(array.element.scalar);
    if (layout_ == Layout::records) {
      const auto alignment = memory_.gpu == nullptr ? 1 : static_cast<std::int64_t>(scalar);
      offset = (offset + alignment - 1) / alignment * alignment;
      array.data = records + offset;
      array.stride_bytes = kRecordBytes;
      offset += static_cast<std::int64_t>(array.element.bytes());
      continue;
    }
    array.data = taken(capacity * array.element.bytes());
    if (layout_ != Layout::planes || array.element.scalar == Scalar::opaque) continue;
    array.stride_bytes = static_cast<std::int64_t>(scalar);
    array.component_stride_bytes = static_cast<std::int64_t>(scalar * capacity);
  }
}

void Gas::grow(std::int64_t capacity) {
  const Bulk bulk(*this);
  const auto num_before = static_cast<std::ptrdiff_t>(blocks_.size());
  const auto arrays = set_.arrays;
  set_.capacity = capacity;
  allocate();
  for (std::size_t a = 0; a < arrays.size(); ++a) copy_array(set_.arrays[a], arrays[a]);
  blocks_.erase(blocks_.begin(), blocks_.begin() + num_before);
}

void Gas::copy_array(const ParticleArray& to, const ParticleArray& from) const {
  const std::size_t scalar = bytes_of(from.element.scalar);
  const std::int64_t count = set_.num_owned + set_.num_ghosts;
  if (layout_ == Layout::interleaved || layout_ == Layout::separate) {
    if (count > 0) copy(to.data, from.data, static_cast<std::size_t>(count * from.stride_bytes));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t c = 0; c < from.element.count; ++c)
      copy(static_cast<std::byte*>(to.data) + i * to.stride_bytes + c * to.component_stride_bytes,
           static_cast<const std::byte*>(from.data) + i * from.stride_bytes + c * from.component_stride_bytes, scalar);
}

// Records are packed, so their members need not be aligned.
template <class T>
T Gas::at(const std::string& name, std::int64_t i, std::int64_t component) const {
  T value;
  copy(&value, place(name, i, component), sizeof(T));
  return value;
}

template <class T>
void Gas::put(const std::string& name, std::int64_t i, std::int64_t component, T value) {
  copy(place(name, i, component), &value, sizeof(T));
}

std::byte* Gas::place(const std::string& name, std::int64_t i, std::int64_t component) const {
  const ParticleArray& array = *set_.find(name);
  return static_cast<std::byte*>(array.data) + i * array.stride_bytes + component * array.component_stride_bytes;
}

void Gas::add(std::int64_t id, const Point3& position) {
  const std::int64_t i = set_.num_owned;
  if (i >= set_.capacity) grow(2 * i + 1);
  ++set_.num_owned;
  set_position(i, position);
  put<std::int64_t>("id", i, 0, id);
  put<std::int32_t>("kind", i, 0, kind_of(id));
  for (std::int64_t c = 0; c < 3; ++c) {
    put<double>("v", i, c, velocity_of(id, c));
    put<std::int32_t>("image", i, c, 0);
  }
  for (std::int64_t b = 0; b < 5; ++b) put<std::byte>("mark", i, b, mark_of(id, b));
}

std::int64_t Gas::id(std::int64_t i) const { return at<std::int64_t>("id", i, 0); }

void Gas::set_id(std::int64_t i, std::int64_t id) { put<std::int64_t>("id", i, 0, id); }

double Gas::number(const std::string& array, std::int64_t i, std::int64_t component) const {
  return at<double>(array, i, component);
}

void Gas::set_number(const std::string& array, std::int64_t i, std::int64_t component, double value) {
  put<double>(array, i, component, value);
}

Point3 Gas::position(std::int64_t i) const {
  Point3 point{};
  for (std::int64_t a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    if (layout_ == Layout::separate)
      point[axis] = at<double>(set_.position[axis], i, 0);
    else
      point[axis] = is_float() ? static_cast<double>(at<float>("x", i, a)) : at<double>("x", i, a);
  }
  return point;
}

void Gas::set_position(std::int64_t i, const Point3& point) {
  for (std::int64_t a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    if (layout_ == Layout::separate)
      put<double>(set_.position[axis], i, 0, point[axis]);
    else if (is_float())
      put<float>("x", i, a, static_cast<float>(point[axis]));
    else
      put<double>("x", i, a, point[axis]);
  }
}

std::array<std::int32_t, 3> Gas::image(std::int64_t i) const {
  return {at<std::int32_t>("image", i, 0), at<std::int32_t>("image", i, 1), at<std::int32_t>("image", i, 2)};
}

std::string Gas::wrong_codes(std::int64_t count) const {
  const Bulk bulk(*this);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t particle = id(i);
    bool is_right = at<std::int32_t>("kind", i, 0) == kind_of(particle);
    for (std::int64_t c = 0; c < 3; ++c) is_right = is_right && at<double>("v", i, c) == velocity_of(particle, c);
    for (std::int64_t b = 0; b < 5; ++b) is_right = is_right && at<std::byte>("mark", i, b) == mark_of(particle, b);
    if (!is_right)
      return "element " + std::to_string(i) + " with id " + std::to_string(particle) + " has another's values";
  }
  return {};
}

ParticleDomain domain_of(MPI_Comm comm, const std::array<bool, 3>& periodic) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return ParticleDomain::balanced({{-3, 0, 2}, {9, 10, 9}}, periodic, size);
}

ParticleDomain uneven(ParticleDomain domain, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t a = 0; a < 3; ++a) {
    auto& cuts = domain.cuts[a];
    cuts = {domain.box.lo[a], domain.box.hi[a]};
    for (std::int64_t i = 1; i < domain.ranks[a]; ++i)
      cuts.push_back(between(domain.box.lo[a], domain.box.hi[a], random));
    std::sort(cuts.begin(), cuts.end());
  }
  return domain;
}

double between(double lo, double hi, std::mt19937_64& random) {
  return lo + (hi - lo) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

ParticleDomain row_of(MPI_Comm comm) {
  ParticleDomain domain = domain_of(comm);
  domain.ranks = {domain.ranks[0] * domain.ranks[1] * domain.ranks[2], 1, 1};
  return domain;
}

Point3 point_in(const SpaceBox& box, std::mt19937_64& random) {
  Point3 point{};
  for (std::size_t a = 0; a < 3; ++a) point[a] = between(box.lo[a], box.hi[a], random);
  return point;
}

std::string wrong_ownership(MPI_Comm comm, const ParticleDomain& domain, const Gas& gas, std::int64_t num_total) {
  const Gas::Bulk bulk(gas);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string wrong = gas.wrong_codes(gas.set().num_owned);
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < gas.set().num_owned; ++i) {
    ids.push_back(gas.id(i));
    const Point3 p = gas.position(i);
    const SpaceBox box = domain.box_of(rank);
    for (std::size_t a = 0; a < 3 && wrong.empty(); ++a) {  // at open ends the outermost box goes on
      const bool is_above = box.lo[a] <= p[a] || (!domain.periodic[a] && box.lo[a] == domain.box.lo[a]);
      const bool is_below = p[a] < box.hi[a] || (!domain.periodic[a] && box.hi[a] == domain.box.hi[a]);
      if (!is_above || !is_below)
        wrong = "id " + std::to_string(gas.id(i)) + " is not in its owner's box on axis " + std::to_string(a);
    }
    for (std::size_t a = 0; a < 3 && wrong.empty(); ++a)
      if (domain.periodic[a] && !(p[a] >= domain.box.lo[a] && p[a] < domain.box.hi[a]))
        wrong = "id " + std::to_string(gas.id(i)) + " is outside the box on axis " + std::to_string(a);
  }
  auto all = gathered(comm, ids);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size() && wrong.empty(); ++i)
    if (all[i] != static_cast<std::int64_t>(i)) wrong = "id " + std::to_string(i) + " is missing or there twice";
  if (static_cast<std::int64_t>(all.size()) != num_total && wrong.empty())
    wrong = std::to_string(all.size()) + " particles of " + std::to_string(num_total);
  return wrong;
}

}  // namespace halyard::test
