// Lines: opens what two ranks may be joined by, and makes lines of it. Owns Halyard's workers for the whole run.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <string_view>

#include "link/line.hpp"

namespace halyard::bench {

class Lines {
 public:
  /// Collective. Throws halyard::Error for HALYARD_* variables that make no sense.
  explicit Lines(MPI_Comm comm);
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines();

  /// Why no line of this name can be made here, on either rank; empty when it can. The same on both ranks.
  std::string refusal(std::string_view name) const;
  /// What carries it, in words ("rxe0:1, RoCE v2 GID 1 (10.77.0.1), MTU 4096"), where that is known.
  std::string detail(std::string_view name) const;
  /// Collective. Throws on both ranks when it cannot be made.
  std::unique_ptr<Line> make(std::string_view name, std::int64_t bytes);

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace halyard::bench
