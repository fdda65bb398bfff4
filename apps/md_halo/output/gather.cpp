// See gather.hpp.
#include "output/gather.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "common/agree.hpp"
#include "common/program.hpp"

namespace halyard::md {
namespace {

/// So that counts are of atoms, of which an int can count more than of bytes.
class RecordType {
 public:
  RecordType() {
    static_assert(std::is_trivially_copyable_v<AtomWithForce>);
    MPI_Type_contiguous(sizeof(AtomWithForce), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  RecordType(const RecordType&) = delete;
  RecordType& operator=(const RecordType&) = delete;
  ~RecordType() { MPI_Type_free(&type_); }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::vector<AtomWithForce> records_of(const Atoms& atoms) {
  const std::vector<Atom> owned = atoms.copy();
  const std::vector<Vector> forces = atoms.forces();
  std::vector<AtomWithForce> records(owned.size());
  for (std::size_t i = 0; i < owned.size(); ++i) records[i] = {owned[i], forces[i]};
  return records;
}

}  // namespace

std::vector<AtomWithForce> gather_atoms(MPI_Comm comm, const Atoms& atoms) {
  std::vector<AtomWithForce> mine;
  app::agreed(comm, [&] { mine = records_of(atoms); });
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(app::size_of(comm)));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  std::vector<int> starts(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, starts.begin() + 1);
  std::vector<AtomWithForce> all;
  app::agreed_on_root(comm, [&] { all.resize(static_cast<std::size_t>(starts.back() + counts.back())); });
  const RecordType type;
  MPI_Gatherv(mine.data(), count, type.get(), all.data(), counts.data(), starts.data(), type.get(), 0, comm);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.atom.id < b.atom.id; });
  return all;
}

}  // namespace halyard::md
