// See atoms.hpp.
#include "atoms/atoms.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace halyard::md {
namespace {

// Numbers of arrays.
constexpr std::size_t kX = 0, kV = 1, kF = 2, kId = 3, kType = 4, kImage = 5;

}  // namespace

Atoms::Atoms(ArrayMemory memory) : memory_(std::move(memory)) {
  for (const char* name : {"x", "v", "f"})
    particles_.arrays.push_back(ParticleArray::interleaved<double>(name, nullptr, 3));
  particles_.arrays.push_back(ParticleArray::interleaved<std::int64_t>("id", nullptr));
  particles_.arrays.push_back(ParticleArray::interleaved<std::int32_t>("type", nullptr));
  particles_.arrays.push_back(ParticleArray::interleaved<std::int32_t>("image", nullptr, 3));
  particles_.arrays[kF].migrates = false;
  particles_.id = "id";
  particles_.image = "image";
  particles_.grow = [this](Particles&, std::int64_t at_least) { grow(at_least); };
  arrays_.resize(particles_.arrays.size());
  grow(1);
}

/// All new memory first: when there is too little, nothing has changed.
void Atoms::grow(std::int64_t at_least) {
  const std::int64_t capacity = at_least + at_least / 4;
  if (capacity > std::numeric_limits<std::int32_t>::max())
    throw std::runtime_error("hold " + std::to_string(at_least) +
                             " atoms on a rank: 2147483647 at most; use more ranks");
  const auto used = static_cast<std::size_t>(particles_.num_owned + particles_.num_ghosts);
  decltype(arrays_) grown;
  for (const ParticleArray& array : particles_.arrays) {
    const auto bytes = static_cast<std::size_t>(array.stride_bytes);
    grown.push_back(memory_.allocate(bytes * static_cast<std::size_t>(capacity)));
    if (used > 0) memory_.copy(grown.back().get(), array.data, used * bytes);
  }
  for (std::size_t i = 0; i < grown.size(); ++i) particles_.arrays[i].data = grown[i].get();
  arrays_ = std::move(grown);
  particles_.capacity = capacity;
}

template <class T>
void Atoms::write(std::size_t array, const std::vector<T>& values) const {
  if (!values.empty()) memory_.copy(particles_.arrays[array].data, values.data(), values.size() * sizeof(T));
}

template <class T>
std::vector<T> Atoms::read(std::size_t array) const {
  const ParticleArray& from = particles_.arrays[array];
  std::vector<T> values(static_cast<std::size_t>(particles_.num_owned) * from.element.count);
  if (!values.empty()) memory_.copy(values.data(), from.data, values.size() * sizeof(T));
  return values;
}

void Atoms::assign(const std::vector<Atom>& owned) {
  particles_.num_owned = particles_.num_ghosts = 0;
  const auto count = static_cast<std::int64_t>(owned.size());
  if (count > particles_.capacity) grow(count);
  std::vector<double> x, v;
  std::vector<std::int64_t> id;
  std::vector<std::int32_t> type, image;
  for (const Atom& atom : owned) {
    x.insert(x.end(), atom.x.begin(), atom.x.end());
    v.insert(v.end(), atom.v.begin(), atom.v.end());
    id.push_back(atom.id);
    type.push_back(atom.type);
    image.insert(image.end(), atom.image.begin(), atom.image.end());
  }
  write(kX, x);
  write(kV, v);
  write(kF, std::vector<double>(3 * owned.size(), 0.0));
  write(kId, id);
  write(kType, type);
  write(kImage, image);
  particles_.num_owned = count;
}

std::vector<Atom> Atoms::copy() const {
  const auto x = read<double>(kX);
  const auto v = read<double>(kV);
  const auto id = read<std::int64_t>(kId);
  const auto type = read<std::int32_t>(kType);
  const auto image = read<std::int32_t>(kImage);
  std::vector<Atom> owned(static_cast<std::size_t>(particles_.num_owned));
  for (std::size_t i = 0; i < owned.size(); ++i) {
    Atom& atom = owned[i];
    std::copy_n(x.data() + 3 * i, 3, atom.x.data());
    std::copy_n(v.data() + 3 * i, 3, atom.v.data());
    atom.id = id[i];
    atom.type = type[i];
    std::copy_n(image.data() + 3 * i, 3, atom.image.data());
  }
  return owned;
}

std::vector<Vector> Atoms::forces() const {
  const auto f = read<double>(kF);
  std::vector<Vector> forces(static_cast<std::size_t>(particles_.num_owned));
  for (std::size_t i = 0; i < forces.size(); ++i) std::copy_n(f.data() + 3 * i, 3, forces[i].data());
  return forces;
}

template <class Space>
AtomViews<Space> Atoms::views() const {
  const auto capacity = static_cast<std::size_t>(particles_.capacity);
  AtomViews<Space> views;
  views.x = decltype(views.x)(seen<double, Space>(kX), capacity);
  views.v = decltype(views.v)(seen<double, Space>(kV), capacity);
  views.f = decltype(views.f)(seen<double, Space>(kF), capacity);
  views.id = decltype(views.id)(seen<std::int64_t, Space>(kId), capacity);
  views.type = decltype(views.type)(seen<std::int32_t, Space>(kType), capacity);
  views.image = decltype(views.image)(seen<std::int32_t, Space>(kImage), capacity);
  views.num_owned = static_cast<int>(particles_.num_owned);
  views.num_ghosts = static_cast<int>(particles_.num_ghosts);
  return views;
}

template <>
ArrayMemory array_memory<HostSpace>(Context& context) {
  ArrayMemory memory;
  memory.allocate = [&context](std::size_t bytes) {
    return std::shared_ptr<void>(context.allocate(bytes), [&context](void* freed) { context.deallocate(freed); });
  };
  memory.copy = [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); };
  return memory;
}
template AtomViews<HostSpace> Atoms::views() const;

// Copies and what frees memory wait for the stream, as a driver does.
template <>
ArrayMemory array_memory<EmulatedSpace>(Context&) {
  ArrayMemory memory;
  memory.allocate = [](std::size_t bytes) {
    return std::shared_ptr<void>(EmulatedSpace::gpu().allocate(bytes), [](void* freed) {
      EmulatedSpace::wait_for_all();
      EmulatedSpace::gpu().deallocate(freed);
    });
  };
  memory.copy = [](void* to, const void* from, std::size_t bytes) {
    EmulatedSpace::fence();
    EmulatedSpace::gpu().copy(to, from, bytes);
  };
  return memory;
}
template AtomViews<EmulatedSpace> Atoms::views() const;

#ifdef KOKKOS_ENABLE_CUDA
// Copies wait for what is in the streams of Kokkos, and are over when they return.
template <>
ArrayMemory array_memory<Kokkos::Cuda>(Context&) {
  ArrayMemory memory;
  memory.allocate = [](std::size_t bytes) {
    return std::shared_ptr<void>(Kokkos::kokkos_malloc<Kokkos::CudaSpace>("atoms", bytes),
                                 [](void* freed) { Kokkos::kokkos_free<Kokkos::CudaSpace>(freed); });
  };
  memory.copy = [](void* to, const void* from, std::size_t bytes) {
    Kokkos::fence("copy atoms");
    const cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
    if (error != cudaSuccess)
      throw std::runtime_error(std::string("copy atoms from or to a GPU: ") + cudaGetErrorString(error));
  };
  return memory;
}
template AtomViews<Kokkos::Cuda> Atoms::views() const;
#endif

}  // namespace halyard::md
