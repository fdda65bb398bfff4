// Atoms: a rank's atoms in Halyard's memory, which neighbors on the node read where they lie.
//
// Owns the arrays, and grows them when the particle exchange asks for it. Must outlive whatever exchanges them, and be
// destroyed before its Context. Main thread only.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "halyard/context.hpp"
#include "halyard/particles.hpp"
#include "input/system.hpp"
#include "kernels/views.hpp"

namespace halyard::md {

class Atoms {
 public:
  explicit Atoms(Context& context);
  Atoms(const Atoms&) = delete;
  Atoms& operator=(const Atoms&) = delete;

  /// In place of what was there; ghosts are dropped.
  void assign(const std::vector<Atom>& owned);
  /// The owned ones.
  std::vector<Atom> copy() const;
  /// Forces on the owned ones.
  std::vector<Vector> forces() const;

  /// As Halyard sees them: arrays x, v, f, id, type, image.
  Particles& particles() { return particles_; }
  const Particles& particles() const { return particles_; }
  /// As kernels see them; valid until atoms move or grow.
  AtomViews<HostSpace> views() const;

 private:
  void grow(std::int64_t at_least);
  template <class T>
  T* data(std::size_t array) const {
    return static_cast<T*>(particles_.arrays[array].data);
  }

  Context* context_;
  Particles particles_;
  std::vector<std::unique_ptr<void, std::function<void(void*)>>> memory_;  // of each array
};

}  // namespace halyard::md
