// FieldSet: the arrays that a method exchanges, wherever they lie; filled with coordinate codes and
// checked.
//
// Every owned cell holds a code of its global cell, its field and the epoch of the fill, so a wrong
// ghost names its origin and a ghost left over from an earlier exchange is wrong too. Does not own
// the arrays (PlainMemory does, or the method). Used by the one thread of each rank.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "halo/geometry.hpp"

namespace halyard::bench {

/// Whose cells a method brings into the ghosts.
enum class GhostSource {
  owner,  // the neighbor's: a halo exchange
  own,    // this rank's opposite border: the strided-copy limit
};

class FieldSet {
 public:
  FieldSet(const Geometry& geometry, std::vector<double*> arrays);

  const std::vector<double*>& arrays() const { return arrays_; }
  /// Codes into the owned cells, a value that no cell has into the ghosts.
  void fill(int epoch);
  /// Cells, owned and ghosts, that do not hold what they should after an exchange.
  std::int64_t num_wrong(int epoch, GhostSource source) const;
  /// Rewrites every owned cell with the value it has, as a time step would.
  void touch();

 private:
  using AxisCodes = std::vector<std::int64_t>;  // global coordinate of each array coordinate

  AxisCodes axis_codes(std::size_t axis, GhostSource source) const;
  double first_code(int epoch, std::size_t field) const;

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
