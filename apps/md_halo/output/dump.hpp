// Dump: atoms as text, in the format of LAMMPS' "dump custom id type x y z vx vy vz fx fy fz", sorted by id.
//
// Numbers have as many digits as bring the same double back. The file is written as "<path>.part", frame by frame, and
// gets its name from commit(). Rank 0 only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/staged_file.hpp"
#include "halyard/particle_domain.hpp"
#include "output/gather.hpp"

namespace halyard::md {

std::string frame_text(std::int64_t step, const SpaceBox& box, const std::vector<AtomWithForce>& atoms);

class Dump {
 public:
  /// Throws std::runtime_error when the file cannot be written.
  explicit Dump(const std::string& path) : file_(app::StagedFile::create(path)) {}

  void write(std::int64_t step, const SpaceBox& box, const std::vector<AtomWithForce>& atoms) {
    file_.write(frame_text(step, box, atoms));
  }
  void commit() { file_.commit(); }

 private:
  app::StagedFile file_;
};

}  // namespace halyard::md
