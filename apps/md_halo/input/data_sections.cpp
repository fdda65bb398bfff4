// Each section is a name, a number of lines that the header fixed, and nothing else.
#include "input/data_sections.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "input/words.hpp"

namespace halyard::md {
namespace {

std::string box_text(const SpaceBox& box) {
  std::string text = "in the box";
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += (axis == 0 ? " " : " x ") + std::string("[") + std::to_string(box.lo[axis]) + ", " +
            std::to_string(box.hi[axis]) + ")";
  return text;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

}  // namespace

DataSections::DataSections(LineReader& reader, const DataHeader& header) : reader_(reader), header_(header) {
  const auto types = static_cast<std::size_t>(header.num_types);
  system_.box = header.box;
  system_.num_atoms = header.num_atoms;
  system_.masses.assign(types, 1.0);
  system_.pairs.resize(types * (types + 1) / 2);
}

System DataSections::read() {
  do read_section();
  while (reader_.next());
  if (!seen_.contains("Atoms")) reader_.fail_at_end("a section 'Atoms'");
  return std::move(system_);
}

void DataSections::read_section() {
  const std::string name = joined(reader_.words());
  if (name == "Masses") return open_section(name), read_masses();
  if (name == "Atoms") return open_section(name), read_atoms();
  if (name == "Velocities") return open_section(name), read_velocities();
  if (name == "Pair Coeffs") return open_section(name), read_pairs();
  if (name == "PairIJ Coeffs") return open_section(name), read_pairs_of_two();
  reader_.fail(
      "a section: Masses, Atoms, Velocities, Pair Coeffs or PairIJ Coeffs (lines beyond the number that the "
      "header gives are no part of one)");
}

void DataSections::open_section(const std::string& name) {
  if (!seen_.insert(name).second) reader_.fail("one section '" + name + "'; this is the second");
  if (name == "Atoms") check_style(name, "atomic");
  if (name.ends_with(" Coeffs")) check_style(name, "lj/cut");
  if (name == "Velocities" && !seen_.contains("Atoms")) reader_.fail("section 'Atoms' before 'Velocities'");
}

/// LAMMPS writes the style as a comment behind the name; without one nothing can be said.
void DataSections::check_style(const std::string& section, const std::string& expected) const {
  const Words words = words_of(reader_.comment());
  if (words.empty() || words[0] == expected) return;
  reader_.fail_at(reader_.number(), "section '" + section + "' is of style " + in_quotes(words[0]) + ", expected " +
                                        expected + ", the only one that halyard-md knows");
}

const DataSections::Words& DataSections::entry(const char* form, std::size_t least, std::size_t most) {
  if (!reader_.next()) reader_.fail_at_end(std::string("a line '") + form + "'");
  const std::size_t found = reader_.words().size();
  if (found != least && found != most)
    reader_.fail(std::string("'") + form + "' (" + std::to_string(least) +
                 (least == most ? "" : " or " + std::to_string(most)) + " words)");
  return reader_.words();
}

void DataSections::read_masses() {
  for (int i = 0; i < header_.num_types; ++i) {
    const Words& words = entry("type mass", 2, 2);
    const int type = type_at(words[0]);
    const double mass = number_at(words[1], "a mass");
    if (mass <= 0) reader_.fail("a mass above 0");
    system_.masses[static_cast<std::size_t>(type)] = mass;
  }
}

void DataSections::read_atoms() {
  const auto count = static_cast<std::size_t>(header_.num_atoms);
  for (std::size_t i = 0; i < count; ++i) {
    const Atom atom = atom_of(entry("id type x y z [ix iy iz]", 5, 8));
    const auto [known, is_new] = index_of_.try_emplace(atom.id, i);
    if (!is_new)
      reader_.fail("each id once; atom " + std::to_string(atom.id) + " is already in line " +
                   std::to_string(line_of_[known->second]));
    system_.atoms.push_back(atom);
    line_of_.push_back(reader_.number());
  }
}

Atom DataSections::atom_of(const Words& words) const {
  Atom atom;
  atom.id = id_at(words[0]);
  atom.type = type_at(words[1]) + 1;
  for (std::size_t a = 0; a < 3; ++a) atom.x[a] = number_at(words[2 + a], "a coordinate");
  for (std::size_t a = 0; a < 3 && words.size() == 8; ++a) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 2;  // room to cross edges
    const auto image = whole_number(words[5 + a]);
    if (!image || *image < -kMost || *image > kMost) reader_.fail("whole numbers as image flags");
    atom.image[a] = static_cast<std::int32_t>(*image);
  }
  place_in_box(atom);
  return atom;
}

void DataSections::place_in_box(Atom& atom) const {
  for (std::size_t a = 0; a < 3; ++a)
    if (atom.x[a] == header_.box.hi[a]) {  // the same place, in the next image
      atom.x[a] = header_.box.lo[a];
      ++atom.image[a];
    }
  if (!header_.box.holds(atom.x)) reader_.fail("an atom " + box_text(header_.box));
}

void DataSections::read_velocities() {
  std::vector<bool> is_given(system_.atoms.size(), false);
  for (std::int64_t i = 0; i < header_.num_atoms; ++i) {
    const Words& words = entry("id vx vy vz", 4, 4);
    const auto found = index_of_.find(id_at(words[0]));
    if (found == index_of_.end()) reader_.fail("the id of an atom in section 'Atoms'");
    if (is_given[found->second]) reader_.fail("the velocity of each atom once; this one had one before");
    is_given[found->second] = true;
    Vector& v = system_.atoms[found->second].v;
    for (std::size_t a = 0; a < 3; ++a) v[a] = number_at(words[1 + a], "a velocity");
  }
}

void DataSections::read_pairs() {
  for (int i = 0; i < header_.num_types; ++i) {
    const Words& words = entry("type epsilon sigma [cutoff]", 3, 4);
    const int type = type_at(words[0]);
    set_pair(type, type, term_of(words, 1));
  }
}

void DataSections::read_pairs_of_two() {
  for (std::size_t i = 0; i < system_.pairs.size(); ++i) {
    const Words& words = entry("type type epsilon sigma [cutoff]", 4, 5);
    set_pair(type_at(words[0]), type_at(words[1]), term_of(words, 2));
  }
}

PairTerm DataSections::term_of(const Words& words, std::size_t first) const {
  PairTerm term;
  term.epsilon = number_at(words[first], "epsilon");
  term.sigma = number_at(words[first + 1], "sigma");
  if (term.epsilon < 0 || term.sigma <= 0) reader_.fail("epsilon of 0 or more and sigma above 0");
  if (words.size() > first + 2) {
    term.cutoff = number_at(words[first + 2], "a cut-off");
    if (*term.cutoff <= 0) reader_.fail("a cut-off above 0");
  }
  return term;
}

void DataSections::set_pair(int i, int j, const PairTerm& term) {
  std::optional<PairTerm>& pair = system_.pairs[pair_index(i, j)];
  if (pair) reader_.fail("the terms of each pair of types once; these had some before");
  pair = term;
}

int DataSections::type_at(std::string_view word) const {
  const auto type = whole_number(word);
  if (!type || *type < 1 || *type > header_.num_types)
    reader_.fail("a type from 1 to " + std::to_string(header_.num_types) + " (is " + in_quotes(word) + ")");
  return static_cast<int>(*type) - 1;
}

double DataSections::number_at(std::string_view word, const char* what) const {
  const auto number = finite_number(word);
  if (!number) reader_.fail(std::string(what) + " that is a finite number (is " + in_quotes(word) + ")");
  return *number;
}

std::int64_t DataSections::id_at(std::string_view word) const {
  const auto id = whole_number(word);
  if (!id || *id < 1) reader_.fail("an id, a whole number from 1 (is " + in_quotes(word) + ")");
  return *id;
}

}  // namespace halyard::md
