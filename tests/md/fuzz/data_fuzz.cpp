// Fuzzes the readers of data and restart files: whatever the bytes are, they give a System that can be run or an
// InputError.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "input/data_file.hpp"
#include "input/line_reader.hpp"
#include "input/restart_file.hpp"
#include "model/lennard_jones.hpp"

namespace {

using namespace halyard::md;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_runnable(const System& system) {
  require(system.num_atoms >= 2 && static_cast<std::int64_t>(system.atoms.size()) == system.num_atoms);
  require(system.num_types() >= 1 && system.pairs.size() == pair_index(0, system.num_types()));
  for (const double mass : system.masses) require(std::isfinite(mass) && mass > 0);
  std::set<std::int64_t> ids;
  for (const Atom& atom : system.atoms) {
    require(system.box.holds(atom.x));
    require(atom.type >= 1 && atom.type <= system.num_types());
    require(atom.id >= 1 && ids.insert(atom.id).second);
    for (const double v : atom.v) require(std::isfinite(v));
  }
  (void)LennardJones(system, 2.5, EnergyShift::zero_at_cutoff);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    const System system = is_restart(text) ? read_restart("fuzz", text) : read_data("fuzz", text);
    require_runnable(system);
    require(read_restart("again", to_restart(system)) == system);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).starts_with("read "));
  }
  return 0;
}
