// Method: one way to do the halo exchange of a case. The registry of all that the bench knows.
//
// A method is made for one case (collective, may throw, the same on every rank), exchanges as often
// as it is told, and is destroyed. measure.cpp runs them in turn and does not know which one it
// has. One thread per rank.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/fields.hpp"
#include "halo/geometry.hpp"

namespace halyard::bench {

struct MethodInputs {
  MPI_Comm comm;
  const Geometry& geometry;
  FieldSet& user_fields;  // in ordinary memory; shared by all methods that work on such
};

inline constexpr std::string_view kNoMemory = "-";  // of a method that moves no halo

class Method {
 public:
  explicit Method(FieldSet& user_fields) : fields_(&user_fields) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  /// Fills all ghosts; returns when they are filled and the owned cells may be written again. Data
  /// path.
  virtual void exchange() = 0;
  /// Seconds of one of `count` exchanges in a row.
  virtual double time(int count);
  /// How the bytes travel, for the table.
  virtual std::string path() const = 0;
  /// Whose memory the fields lie in: "user", "shared window", "halyard".
  virtual std::string_view memory() const { return "user"; }
  virtual GhostSource source() const { return GhostSource::owner; }

  FieldSet& fields() { return *fields_; }

 protected:
  Method() = default;
  void use(FieldSet& own_fields) { fields_ = &own_fields; }

 private:
  FieldSet* fields_ = nullptr;
};

struct MethodEntry {
  std::string_view name;
  bool is_default;  // runs when --only is not given
  std::function<std::unique_ptr<Method>(const MethodInputs&)> make;
  std::string_view mode = {};  // how it is driven, where there is a choice: "stream", "sync", "graph"
};

using MethodEntries = std::span<const MethodEntry>;

/// Those for fields in host memory, in the order of the table.
MethodEntries host_methods();
/// The entry of that name, or nullptr.
const MethodEntry* find_method(MethodEntries entries, std::string_view name);
/// Those named, or the default ones when none is; without those in `skip`.
std::vector<const MethodEntry*> choose_methods(MethodEntries entries, const std::vector<std::string>& names,
                                               const std::vector<std::string>& skip);

}  // namespace halyard::bench
