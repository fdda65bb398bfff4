// Atoms: a rank's atoms: in Halyard's memory, which neighbors on the node read where they lie, or in GPU memory.
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

/// Where arrays lie: how memory is taken, and how bytes get there and back, to and from the host's.
struct ArrayMemory {
  std::function<std::shared_ptr<void>(std::size_t bytes)> allocate;
  std::function<void(void* to, const void* from, std::size_t bytes)> copy;
};
/// Of the space's kernels. The context must outlive what it hands out.
template <class Space>
ArrayMemory array_memory(Context& context);

class Atoms {
 public:
  explicit Atoms(ArrayMemory memory);
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
  template <class Space>
  AtomViews<Space> views() const;

 private:
  void grow(std::int64_t at_least);
  template <class T, class Space>
  T* seen(std::size_t array) const {
    return static_cast<T*>(seen_by_kernels<Space>(particles_.arrays[array].data));
  }
  template <class T>
  void write(std::size_t array, const std::vector<T>& values) const;
  template <class T>
  std::vector<T> read(std::size_t array) const;

  ArrayMemory memory_;
  Particles particles_;
  std::vector<std::shared_ptr<void>> arrays_;
};

}  // namespace halyard::md
