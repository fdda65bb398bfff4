// See motion.hpp.
#include "kernels/motion.hpp"

#include <cmath>
#include <string>

#include "kernels/launch.hpp"

namespace halyard::md {
namespace {

template <class Space>
struct KickAndDrift {
  AtomViews<Space> atoms;
  Owned<double*, Space> kick_per_force;
  Owned<double* [3], Space> remembered;
  double dt, far_squared;

  KOKKOS_INLINE_FUNCTION void operator()(int i, int& num_far) const {
    const double scale = kick_per_force(atoms.type(i) - 1);
    double moved = 0;
    for (int a = 0; a < 3; ++a) {
      const double v = atoms.v(i, a) + scale * atoms.f(i, a);
      const double x = atoms.x(i, a) + dt * v;
      atoms.v(i, a) = v;
      atoms.x(i, a) = x;
      const double d = x - remembered(i, a);
      moved += d * d;
    }
    num_far += moved < far_squared ? 0 : 1;  // NaN is far
  }
};

template <class Space>
struct KickAndDriftAhead {
  AtomViews<Space> atoms;
  Owned<double*, Space> kick_per_force;
  Owned<double* [3], Space> remembered;
  FarFlags<Space> flags;
  double dt, far;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    const double scale = kick_per_force(atoms.type(i) - 1);
    double moved = 0, speed = 0, kicked = 0;
    for (int a = 0; a < 3; ++a) {
      const double kick = scale * atoms.f(i, a);
      const double v = atoms.v(i, a) + kick;
      const double x = atoms.x(i, a) + dt * v;
      atoms.v(i, a) = v;
      atoms.x(i, a) = x;
      const double d = x - remembered(i, a);
      moved += d * d;
      speed += v * v;
      kicked += kick * kick;
    }
    moved = ::sqrt(moved);
    if (!(moved < far)) flags(kIsLate) = 1;  // NaN is far
    if (!(moved + 2 * dt * (::sqrt(speed) + 2 * ::sqrt(kicked)) < far)) flags(kIsSoon) = 1;
  }
};

template <class Space>
struct Kick {
  AtomViews<Space> atoms;
  Owned<double*, Space> kick_per_force;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    const double scale = kick_per_force(atoms.type(i) - 1);
    for (int a = 0; a < 3; ++a) atoms.v(i, a) += scale * atoms.f(i, a);
  }
};

template <class Space>
struct Remember {
  Borrowed<double* [3], Space> x;
  Owned<double* [3], Space> remembered;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    for (int a = 0; a < 3; ++a) remembered(i, a) = x(i, a);
  }
};

template <class Space>
struct SumMotion {
  AtomViews<Space> atoms;
  Owned<double*, Space> masses;

  KOKKOS_INLINE_FUNCTION void operator()(int i, double& squares, double& px, double& py, double& pz) const {
    const double m = masses(atoms.type(i) - 1);
    const double vx = atoms.v(i, 0), vy = atoms.v(i, 1), vz = atoms.v(i, 2);
    squares += m * (vx * vx + vy * vy + vz * vz);
    px += m * vx;
    py += m * vy;
    pz += m * vz;
  }
};

template <class Space>
struct ScaleVelocities {
  Borrowed<double* [3], Space> v;
  double factor;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    for (int a = 0; a < 3; ++a) v(i, a) *= factor;
  }
};

/// A bijection of 64 bits whose output bits each depend on all input bits (multiply, shift, twice).
KOKKOS_INLINE_FUNCTION std::uint64_t scrambled(std::uint64_t z) {
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ULL;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ULL;
  return z ^ (z >> 32);
}

/// Drag, and uniform noise of the variance that keeps the temperature.
template <class Space>
struct AddLangevin {
  AtomViews<Space> atoms;
  Owned<double*, Space> masses;
  LangevinForces forces;

  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    const double m = masses(atoms.type(i) - 1);
    const double drag = m / forces.damp;
    const double noise = ::sqrt(24.0 * m * forces.temperature / (forces.damp * forces.dt));
    std::uint64_t state = scrambled(forces.seed + 1);
    state = scrambled(state ^ forces.step);
    state = scrambled(state ^ static_cast<std::uint64_t>(atoms.id(i)));
    for (int a = 0; a < 3; ++a) {
      state = scrambled(state + 0x9e3779b97f4a7c15ULL);
      const double uniform = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
      atoms.f(i, a) += noise * uniform - drag * atoms.v(i, a);
    }
  }
};

template <class Space>
Owned<double*, Space> view_of(const std::vector<double>& values, const std::string& name) {
  Owned<double*, Space> view(name, values.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(view, host);
  return view;
}

std::vector<double> kicks_of(const std::vector<double>& masses, double dt) {
  std::vector<double> kicks;
  for (const double mass : masses) kicks.push_back(0.5 * dt / mass);
  return kicks;
}

}  // namespace

template <class Space>
Motion<Space>::Motion(const std::vector<double>& masses, double dt)
    : masses_(view_of<Space>(masses, "masses")),
      kick_per_force_(view_of<Space>(kicks_of(masses, dt), "kicks")),
      dt_(dt) {}

template <class Space>
int Motion<Space>::kick_and_drift(const AtomViews<Space>& atoms, double far) const {
  int num_far = 0;
  reduce<Space>("md kick and drift", atoms.num_owned,
                KickAndDrift<Space>{atoms, kick_per_force_, remembered_, dt_, far * far}, num_far);
  return num_far;
}

template <class Space>
void Motion<Space>::kick_and_drift_ahead(const AtomViews<Space>& atoms, double far,
                                         const FarFlags<Space>& flags) const {
  for_each<Space>("md kick and drift", atoms.num_owned,
                  KickAndDriftAhead<Space>{atoms, kick_per_force_, remembered_, flags, dt_, far});
}

template <class Space>
void Motion<Space>::kick(const AtomViews<Space>& atoms) const {
  for_each<Space>("md kick", atoms.num_owned, Kick<Space>{atoms, kick_per_force_});
}

template <class Space>
void Motion<Space>::remember(const AtomViews<Space>& atoms) {
  reserve(remembered_, static_cast<std::size_t>(atoms.num_owned), "remembered");
  for_each<Space>("md remember", atoms.num_owned, Remember<Space>{atoms.x, remembered_});
}

template <class Space>
MotionSums Motion<Space>::sums(const AtomViews<Space>& atoms) const {
  MotionSums sums;
  auto& [px, py, pz] = sums.momentum;
  reduce<Space>("md sum motion", atoms.num_owned, SumMotion<Space>{atoms, masses_}, sums.mass_speed_squared, px, py,
                pz);
  return sums;
}

template <class Space>
void Motion<Space>::scale_velocities(const AtomViews<Space>& atoms, double factor) const {
  for_each<Space>("md scale", atoms.num_owned, ScaleVelocities<Space>{atoms.v, factor});
}

template <class Space>
void Motion<Space>::add_langevin(const AtomViews<Space>& atoms, const LangevinForces& forces) const {
  for_each<Space>("md langevin", atoms.num_owned, AddLangevin<Space>{atoms, masses_, forces});
}

template class Motion<HostSpace>;
template class Motion<EmulatedSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template class Motion<Kokkos::Cuda>;
#endif

}  // namespace halyard::md
