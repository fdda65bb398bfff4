// DataSections: what follows the header of a LAMMPS data file. Used by read_data() alone.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "input/data_header.hpp"
#include "input/line_reader.hpp"
#include "input/system.hpp"

namespace halyard::md {

class DataSections {
 public:
  DataSections(LineReader& reader, const DataHeader& header);

  /// The reader is on the line that names the first section. Returns when the text is read.
  System read();

 private:
  using Words = std::vector<std::string_view>;

  void read_section();
  void open_section(const std::string& name);
  void check_style(const std::string& section, const std::string& expected) const;
  void read_masses();
  void read_atoms();
  void read_velocities();
  void read_pairs();
  void read_pairs_of_two();

  /// The next line, which must have `least` to `most` words.
  const Words& entry(const char* form, std::size_t least, std::size_t most);
  Atom atom_of(const Words& words) const;
  void place_in_box(Atom& atom) const;
  PairTerm term_of(const Words& words, std::size_t first) const;
  void set_pair(int i, int j, const PairTerm& term);
  int type_at(std::string_view word) const;
  double number_at(std::string_view word, const char* what) const;
  std::int64_t id_at(std::string_view word) const;

  LineReader& reader_;
  DataHeader header_;
  System system_;
  std::set<std::string> seen_;
  std::unordered_map<std::int64_t, std::size_t> index_of_;  // by id
  std::vector<std::int64_t> line_of_;                       // of each atom
};

}  // namespace halyard::md
