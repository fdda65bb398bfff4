// A header line is numbers followed by what they are: "4000 atoms", "0 16.8 xlo xhi".
#include "input/data_header.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#include "input/system.hpp"
#include "input/words.hpp"

namespace halyard::md {
namespace {

constexpr std::array<const char*, 3> kEdges{"xlo xhi", "ylo yhi", "zlo zhi"};

/// What LAMMPS counts and atoms of style atomic have none of.
bool is_of_molecules(const std::string& keyword) {
  for (const char* known : {"bonds", "angles", "dihedrals", "impropers", "bond types", "angle types", "dihedral types",
                            "improper types", "ellipsoids", "lines", "triangles", "bodies"})
    if (keyword == known) return true;
  return false;
}

class Header {
 public:
  explicit Header(LineReader& reader) : reader_(reader) {}

  DataHeader read() {
    reader_.skip_line();  // a title, whatever it holds
    while (reader_.next() && !is_section()) read_line();
    return checked();
  }

 private:
  bool is_section() const { return std::isalpha(static_cast<unsigned char>(reader_.words()[0][0])) != 0; }

  /// The words that follow `num_numbers` numbers.
  std::string keyword(std::size_t num_numbers) const {
    std::string text;
    for (std::size_t i = num_numbers; i < reader_.words().size(); ++i)
      text += (text.empty() ? "" : " ") + std::string(reader_.words()[i]);
    return text;
  }

  void read_line() {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (keyword(2) == kEdges[axis]) return read_edges(axis);
    if (keyword(3) == "xy xz yz")
      reader_.fail("a box that is not skewed (no 'xy xz yz'), which is all that this knows");
    const std::string name = keyword(1);
    if (name == "atoms")
      header_.num_atoms = count("atoms", num_atoms_line_);
    else if (name == "atom types")
      read_num_types();
    else if (is_of_molecules(name))
      expect_none(name);
    else if (!(name.starts_with("extra ") && name.ends_with(" per atom")))
      reader_.fail("a header line such as '4000 atoms' or '0 16.8 xlo xhi', or a section such as 'Atoms'");
  }

  std::int64_t count(const char* of, std::int64_t& seen_in) {
    const std::optional<std::int64_t> value = whole_number(reader_.words()[0]);
    if (!value || *value < 0) reader_.fail(std::string("the number of ") + of);
    if (seen_in != 0)
      reader_.fail(std::string("one line with '") + of + "', the first is line " + std::to_string(seen_in));
    seen_in = reader_.number();
    return *value;
  }

  void read_num_types() {
    const std::int64_t value = count("atom types", num_types_line_);
    if (value > kMostTypes) reader_.fail("at most " + std::to_string(kMostTypes) + " atom types");
    header_.num_types = static_cast<int>(value);
  }

  void expect_none(const std::string& name) const {
    if (whole_number(reader_.words()[0]) != 0) reader_.fail("0 " + name + ", as halyard-md moves single atoms");
  }

  void read_edges(std::size_t axis) {
    const auto lo = finite_number(reader_.words()[0]);
    const auto hi = finite_number(reader_.words()[1]);
    if (!lo || !hi) reader_.fail(std::string("two finite numbers before ") + kEdges[axis]);
    if (!(*lo < *hi) || !std::isfinite(*hi - *lo))
      reader_.fail(std::string("a lower edge below the upper one before ") + kEdges[axis]);
    if (edges_line_[axis] != 0)
      reader_.fail(std::string("one line with ") + kEdges[axis] + ", the first is line " +
                   std::to_string(edges_line_[axis]));
    edges_line_[axis] = reader_.number();
    header_.box.lo[axis] = *lo;
    header_.box.hi[axis] = *hi;
  }

  DataHeader checked() const {
    if (num_atoms_line_ == 0) lacks("'atoms', such as '4000 atoms'");
    if (num_types_line_ == 0) lacks("'atom types', such as '1 atom types'");
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (edges_line_[axis] == 0) lacks(std::string("'") + kEdges[axis] + "', the edges of the box");
    if (header_.num_atoms == 0) reader_.fail_at(num_atoms_line_, "there are 0 atoms; a run needs at least 2");
    if (header_.num_atoms == 1) reader_.fail_at(num_atoms_line_, "there is 1 atom; a run needs at least 2");
    if (header_.num_types == 0) reader_.fail_at(num_types_line_, "there are 0 atom types; atoms need at least 1");
    return header_;
  }

  [[noreturn]] void lacks(const std::string& what) const {
    reader_.fail_at(reader_.number(), "the header ends here and has no line with " + what);
  }

  LineReader& reader_;
  DataHeader header_;
  std::int64_t num_atoms_line_ = 0, num_types_line_ = 0;  // 0: not there yet
  std::array<std::int64_t, 3> edges_line_{0, 0, 0};
};

}  // namespace

DataHeader read_header(LineReader& reader) { return Header(reader).read(); }

}  // namespace halyard::md
