// Motion: velocity Verlet, thermostats, and sums over owned atoms.
//
// A step is kick_and_drift(), new forces, kick(). Random forces are a function of seed, step and id, so they do not
// depend on who owns an atom.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/views.hpp"

namespace halyard::md {

/// Of owned atoms.
struct MotionSums {
  double mass_speed_squared = 0;  // sum of m v^2, twice the kinetic energy
  std::array<double, 3> momentum{0, 0, 0};
};

struct LangevinForces {
  double temperature = 0;
  double damp = 1;
  double dt = 0;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
};

/// What kernels tell the host without anybody waiting: memory of both.
#ifdef KOKKOS_ENABLE_CUDA
template <class Space>
using SharedSpace =
    std::conditional_t<std::is_same_v<Space, Kokkos::Cuda>, Kokkos::CudaHostPinnedSpace, typename Space::memory_space>;
#else
template <class Space>
using SharedSpace = typename Space::memory_space;
#endif

/// Raised, not counted: kIsSoon when an atom may be far after the next step, kIsLate when one is.
template <class Space>
using FarFlags = Kokkos::View<int[2], SharedSpace<Space>>;
enum FarFlag : int { kIsSoon, kIsLate };

template <class Space>
class Motion {
 public:
  Motion(const std::vector<double>& masses, double dt);

  /// Half a kick, then a drift. Returns how many atoms are at least `far` from where remember() saw them; those that
  /// are nowhere (NaN) count too.
  int kick_and_drift(const AtomViews<Space>& atoms, double far) const;
  /// The same, but only enqueued: raises flags instead, one step ahead of what lists need. Where an atom will be is
  /// bounded by its velocity, twice, and its acceleration.
  void kick_and_drift_ahead(const AtomViews<Space>& atoms, double far, const FarFlags<Space>& flags) const;
  void kick(const AtomViews<Space>& atoms) const;

  void remember(const AtomViews<Space>& atoms);

  MotionSums sums(const AtomViews<Space>& atoms) const;
  void scale_velocities(const AtomViews<Space>& atoms, double factor) const;
  void add_langevin(const AtomViews<Space>& atoms, const LangevinForces& forces) const;

 private:
  Owned<double*, Space> masses_;          // by type
  Owned<double*, Space> kick_per_force_;  // dt / 2 m, by type
  double dt_;
  Owned<double* [3], Space> remembered_;
};

extern template class Motion<HostSpace>;
extern template class Motion<EmulatedSpace>;

}  // namespace halyard::md
