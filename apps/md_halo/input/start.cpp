// See start.hpp.
#include "input/start.hpp"

#include <unistd.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "common/agree.hpp"
#include "common/program.hpp"
#include "input/data_file.hpp"
#include "input/melt.hpp"
#include "input/restart_file.hpp"
#include "input/text_file.hpp"

namespace halyard::md {
namespace {

template <class T>
void broadcast_bytes(MPI_Comm comm, T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  MPI_Bcast(values, static_cast<int>(count * sizeof(T)), MPI_BYTE, 0, comm);
}

/// What all ranks hold alike.
struct Head {
  SpaceBox box;
  std::int64_t step = 0;
  std::int64_t num_atoms = 0;
  std::int64_t num_types = 0;
};

/// All but the atoms, from rank 0.
void share(MPI_Comm comm, System& system) {
  Head head{system.box, system.step, system.num_atoms, system.num_types()};
  broadcast_bytes(comm, &head, 1);
  system.box = head.box;
  system.step = head.step;
  system.num_atoms = head.num_atoms;
  system.masses.resize(static_cast<std::size_t>(head.num_types));
  system.pairs.resize(pair_index(0, static_cast<int>(head.num_types)));
  broadcast_bytes(comm, system.masses.data(), system.masses.size());
  broadcast_bytes(comm, system.pairs.data(), system.pairs.size());
}

System read_start(const StartSettings& settings) {
  if (!settings.restart.empty()) return read_restart(settings.restart, read_text(settings.restart));
  const std::string text = read_text(settings.data);
  if (is_restart(text))
    throw std::invalid_argument("read " + settings.data + ": it is a restart file; give it as --restart");
  return read_data(settings.data, text);
}

/// A melt that no machine holds is refused before memory is asked for.
void check_fits(std::int64_t n, std::int64_t atoms_of_rank) {
  constexpr double kBytesPerAtom = 500;  // arrays, lists and what the start itself takes
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const bool is_too_many = atoms_of_rank > std::numeric_limits<std::int32_t>::max() / 2;
  if (!is_too_many && (memory <= 0 || kBytesPerAtom * static_cast<double>(atoms_of_rank) < memory)) return;
  throw std::runtime_error("--melt " + std::to_string(n) + ": " + std::to_string(atoms_of_rank) +
                           " atoms on a rank are more than it can hold; use fewer cells or more ranks");
}

System melt_of(MPI_Comm comm, std::int64_t n) {
  const std::int64_t rank = app::rank_in(comm);
  const std::int64_t size = app::size_of(comm);
  const std::int64_t cells = n * n * n;
  System system;
  app::agreed(comm, [&] {
    check_fits(n, 4 * (cells / size + 1));
    system = melt_part(n, cells * rank / size, cells * (rank + 1) / size);
  });
  VelocitySums sums = velocity_sums(system);
  MPI_Allreduce(MPI_IN_PLACE, sums.sum.data(), 3, MPI_DOUBLE, MPI_SUM, comm);
  sums.count = system.num_atoms;
  double squares = remove_mean(system, sums);
  MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, comm);
  scale_to_start(system, squares);
  return system;
}

}  // namespace

System load_start(MPI_Comm comm, const StartSettings& settings) {
  if (settings.data.empty() && settings.restart.empty()) return melt_of(comm, settings.melt);
  System system;
  app::agreed_on_root(comm, [&] { system = read_start(settings); });
  share(comm, system);
  return system;
}

}  // namespace halyard::md
