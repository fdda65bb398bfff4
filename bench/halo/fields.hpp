// FieldSet: the arrays that a method exchanges, wherever they lie; filled with coordinate codes
// (codes.hpp) and checked.
//
// Does not own the arrays (PlainMemory does, or the method). Arrays that the host cannot touch have a
// FieldSet of their own (cuda/device_fields.hpp). Used by the one thread of each rank.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "halo/codes.hpp"
#include "halo/geometry.hpp"

namespace halyard::bench {

class FieldSet {
 public:
  FieldSet(const Geometry& geometry, std::vector<double*> arrays);
  FieldSet(const FieldSet&) = delete;
  FieldSet& operator=(const FieldSet&) = delete;
  virtual ~FieldSet() = default;

  const std::vector<double*>& arrays() const { return arrays_; }
  /// Codes into the owned cells, a value that no cell has into the ghosts.
  virtual void fill(int epoch);
  /// Cells, owned and ghosts, that do not hold what they should after an exchange.
  virtual std::int64_t num_wrong(int epoch, GhostSource source) const;
  /// Rewrites every owned cell with the value it has, as a time step would.
  virtual void touch();

 protected:
  const Geometry& geometry() const { return geometry_; }

 private:
  const Geometry& geometry_;
  std::vector<double*> arrays_;
};

/// Ordinary memory for all fields of a case: one allocation a field, 64-byte aligned.
class PlainMemory {
 public:
  explicit PlainMemory(const Geometry& geometry);
  std::vector<double*> arrays() const;

 private:
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<double, Free>> memory_;
};

/// Bytes of one array, rounded up to whole cache lines.
std::size_t array_bytes(const Geometry& geometry);

}  // namespace halyard::bench
