// Gas: particles of a rank whose every value tells which particle it belongs to, so that a record that was mixed up,
// left behind or overwritten names itself. In each layout that users have.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"
#include "mpi/ways.hpp"
#include "support/coded_field.hpp"

namespace halyard::test {

enum class Layout {
  interleaved,  // x y z x y z …, double
  planes,       // x … y … z …, float
  separate,     // three arrays, double
  records,      // one array of structures, double
};

inline const char* name_of(Layout layout) {
  constexpr const char* kNames[] = {"interleaved", "planes", "separate", "records"};
  return kNames[static_cast<int>(layout)];
}

inline constexpr Layout kLayouts[] = {Layout::interleaved, Layout::planes, Layout::separate, Layout::records};

/// Whose memory a gas lies in: what `allocate` gives, or a GPU's.
struct GasMemory {
  Allocate allocate;
  std::shared_ptr<device::Device> gpu;

  template <class From>
  requires std::convertible_to<From, Allocate> GasMemory(From from) : allocate(std::move(from)) {}
  GasMemory(std::shared_ptr<device::Device> device) : gpu(std::move(device)) {}
  static GasMemory on(Context& context, const Way& way) {
    return way.is_on_gpu() ? GasMemory(gpu_device()) : GasMemory(allocate_on(context, way));
  }
};

/// Counts and records of particles in GPU memory go by a host path.
inline Options gas_options_of(const Way& way) {
  Options options = options_of(way);
  if (way.path == Path::peer) options.path += ",shared";
  return options;
}

/// Why a test with a gas leaves this way out here; empty when it does not.
inline std::string why_no_gas(const Way& way) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!way.is_on_gpu()) return {};
  if (size > 4) return "emulated GPUs of more than four ranks take too long";
  return gpu_device() == nullptr ? "no GPU here" : "";
}

/// A test on each way, with a gas in the way's memory.
class GasOnEveryWay : public OnEveryWay {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gas(way()); !why.empty()) GTEST_SKIP() << why;
    OnEveryWay::SetUp();
  }
  GasMemory memory() { return GasMemory::on(context(), way()); }
  Options options() const override { return gas_options_of(way()); }
};

class Gas {
 public:
  /// While this lives all values are read and written in copies of whole arrays on the host, as a GPU's driver takes as
  /// long for eight bytes as for all. Nobody else may use the arrays meanwhile. Nests; nothing for memory of the host.
  class Bulk {
   public:
    explicit Bulk(const Gas& gas) : gas_(gas) { gas_.begin_bulk(); }
    Bulk(const Bulk&) = delete;
    Bulk& operator=(const Bulk&) = delete;
    ~Bulk() { gas_.end_bulk(); }

   private:
    const Gas& gas_;
  };

  /// Arrays: positions, v (three doubles, coded), kind (an i32, coded), mark (5 opaque bytes, coded), id, image, f
  /// (three doubles that do not migrate).
  Gas(GasMemory memory, Layout layout, std::int64_t capacity = 0);
  Gas(const Gas&) = delete;
  Gas& operator=(const Gas&) = delete;

  Particles& set() { return set_; }
  const Particles& set() const { return set_; }
  bool is_float() const { return layout_ == Layout::planes; }
  const std::vector<std::string>& positions() const { return set_.position; }

  /// Appends a particle; grows when there is no room.
  void add(std::int64_t id, const Point3& position);
  std::int64_t id(std::int64_t i) const;
  Point3 position(std::int64_t i) const;
  void set_position(std::int64_t i, const Point3& position);
  void set_id(std::int64_t i, std::int64_t id);
  std::array<std::int32_t, 3> image(std::int64_t i) const;
  double number(const std::string& array, std::int64_t i, std::int64_t component = 0) const;
  void set_number(const std::string& array, std::int64_t i, std::int64_t component, double value);

  /// What is wrong with the coded values of elements [0, count): "element 3 with id 17: …"; empty when nothing is.
  std::string wrong_codes(std::int64_t count) const;

  /// Moves everything into new memory with room for `capacity`; what Particles::grow calls.
  void grow(std::int64_t capacity);

 private:
  void add_array(ParticleArray array);
  void allocate();
  template <class T>
  T at(const std::string& array, std::int64_t i, std::int64_t component) const;
  template <class T>
  void put(const std::string& array, std::int64_t i, std::int64_t component, T value);
  std::byte* place(const std::string& array, std::int64_t i, std::int64_t component) const;
  std::byte* taken(std::size_t bytes);
  void copy(void* target, const void* source, std::size_t bytes) const;
  void copy_array(const ParticleArray& to, const ParticleArray& from) const;
  void begin_bulk() const;
  void end_bulk() const;

  /// One piece of memory, and in bulk what it holds.
  struct Block {
    std::shared_ptr<std::byte[]> memory;
    std::vector<std::byte> image;
    std::size_t bytes = 0;
    bool is_written = false;
  };
  Block* block_of(const void* address) const;

  GasMemory memory_;
  Layout layout_;
  Particles set_;
  mutable std::vector<Block> blocks_;
  mutable int num_bulks_ = 0;
};

/// Runs `work` in bulk.
template <class Work>
void in_bulk(const Gas& gas, const Work& work) {
  const Gas::Bulk bulk(gas);
  work();
}

/// A box that is not a cube, and a domain of it over the ranks of the communicator.
ParticleDomain domain_of(MPI_Comm comm, const std::array<bool, 3>& periodic = {true, true, true});
/// The same with all ranks in a row: from four on some are no neighbors of each other.
ParticleDomain row_of(MPI_Comm comm);
/// A domain with parts of uneven size.
ParticleDomain uneven(ParticleDomain domain, std::uint64_t seed);

/// A point of the box, the same for the same engine.
Point3 point_in(const SpaceBox& box, std::mt19937_64& random);
double between(double lo, double hi, std::mt19937_64& random);

/// Everybody's values, in rank order. Collective.
template <class T>
std::vector<T> gathered(MPI_Comm comm, const std::vector<T>& mine) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const int bytes = static_cast<int>(mine.size() * sizeof(T));
  std::vector<int> counts(static_cast<std::size_t>(size));
  MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  std::vector<int> starts(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
  std::vector<T> all(static_cast<std::size_t>(starts.back() + counts.back()) / sizeof(T));
  MPI_Allgatherv(mine.data(), bytes, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, comm);
  return all;
}

/// What is wrong with who owns whom, all over: each of ids 0 … num_total - 1 once, each in its owner's box, every value
/// as coded. Collective.
std::string wrong_ownership(MPI_Comm comm, const ParticleDomain& domain, const Gas& gas, std::int64_t num_total);

}  // namespace halyard::test
