// The layout: magic and version, step, counts, box, masses, pairs, atoms, checksum (FNV-1a of everything before it).
#include "input/restart_file.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <unordered_set>

#include "input/line_reader.hpp"

namespace halyard::md {
namespace {

static_assert(std::endian::native == std::endian::little, "restart files are little-endian");

constexpr std::string_view kMagic = "halyard-md restart 1\n";

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), &value, sizeof(T));
    bytes_.append(raw.data(), raw.size());
  }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  void put_text(std::string_view text) { bytes_ += text; }
  std::string take() { return std::move(bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  Reader(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

  template <class T>
  void take(T& value) {
    if (bytes_.size() - at_ < sizeof(T)) fail("it ends too early; the file was cut off");
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
  }
  template <class T, std::size_t N>
  void take(std::array<T, N>& values) {
    for (T& value : values) take(value);
  }
  template <class T>
  T taken() {
    T value{};
    take(value);
    return value;
  }
  void skip(std::size_t bytes) { at_ += bytes; }
  std::size_t left() const { return bytes_.size() - at_; }

  [[noreturn]] void fail(const std::string& what) const { throw InputError("read " + name_ + ": " + what); }
  void expect(bool holds, const char* what) const {
    if (!holds) fail(std::string(what) + " at byte " + std::to_string(at_) + "; the file is damaged");
  }

 private:
  std::string name_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

void put_pairs(Writer& writer, const System& system) {
  for (const std::optional<PairTerm>& pair : system.pairs) {
    const PairTerm term = pair.value_or(PairTerm{});
    writer.put(static_cast<std::uint8_t>((pair ? 1 : 0) + (term.cutoff ? 2 : 0)));
    writer.put(std::array<double, 3>{term.epsilon, term.sigma, term.cutoff.value_or(0)});
  }
}

void put_atom(Writer& writer, const Atom& atom) {
  writer.put(atom.id);
  writer.put(atom.type);
  writer.put(atom.image);
  writer.put(atom.x);
  writer.put(atom.v);
}

bool are_finite(const Vector& v) { return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]); }

void take_box(Reader& reader, System& system) {
  reader.take(system.box.lo);
  reader.take(system.box.hi);
  for (std::size_t a = 0; a < 3; ++a)
    reader.expect(system.box.lo[a] < system.box.hi[a] && std::isfinite(system.box.hi[a] - system.box.lo[a]),
                  "the box is empty or not finite");
}

void take_kinds(Reader& reader, System& system) {
  const auto types = reader.taken<std::int32_t>();
  reader.expect(types >= 1 && types <= kMostTypes, "the number of types is not possible");
  system.masses.resize(static_cast<std::size_t>(types));
  for (double& mass : system.masses) {
    reader.take(mass);
    reader.expect(std::isfinite(mass) && mass > 0, "a mass is not above 0");
  }
  system.pairs.resize(pair_index(0, types));
  for (std::optional<PairTerm>& pair : system.pairs) {
    const auto flags = reader.taken<std::uint8_t>();
    const auto values = reader.taken<std::array<double, 3>>();
    reader.expect(flags <= 3 && flags != 2 && are_finite(values) && values[0] >= 0 && values[1] > 0,
                  "the terms of a pair of types are not possible");
    if ((flags & 1) == 0) continue;
    pair = PairTerm{values[0], values[1], std::nullopt};
    if ((flags & 2) != 0) pair->cutoff = values[2];
    reader.expect(!pair->cutoff || *pair->cutoff > 0, "a cut-off is not above 0");
  }
}

Atom taken_atom(Reader& reader, const System& system) {
  Atom atom;
  reader.take(atom.id);
  reader.take(atom.type);
  reader.take(atom.image);
  reader.take(atom.x);
  reader.take(atom.v);
  reader.expect(atom.id >= 1, "an id is not above 0");
  reader.expect(atom.type >= 1 && atom.type <= system.num_types(), "a type does not exist");
  reader.expect(system.box.holds(atom.x), "an atom lies outside the box");
  reader.expect(are_finite(atom.v), "a velocity is not finite");
  return atom;
}

void take_atoms(Reader& reader, System& system) {
  constexpr std::int64_t kBytes = 8 + 4 + 12 + 24 + 24;
  reader.expect(system.num_atoms >= 2 && static_cast<std::int64_t>(reader.left()) / kBytes >= system.num_atoms,
                "there are fewer atoms than it says");
  std::unordered_set<std::int64_t> ids;
  for (std::int64_t i = 0; i < system.num_atoms; ++i) {
    system.atoms.push_back(taken_atom(reader, system));
    reader.expect(ids.insert(system.atoms.back().id).second, "an id is there twice");
  }
}

}  // namespace

bool is_restart(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string to_restart(const System& system) {
  Writer writer;
  writer.put_text(kMagic);
  writer.put(system.step);
  writer.put(static_cast<std::int64_t>(system.atoms.size()));
  writer.put(system.box.lo);
  writer.put(system.box.hi);
  writer.put(static_cast<std::int32_t>(system.num_types()));
  for (const double mass : system.masses) writer.put(mass);
  put_pairs(writer, system);
  for (const Atom& atom : system.atoms) put_atom(writer, atom);
  writer.put(checksum(writer.bytes()));
  return writer.take();
}

System read_restart(const std::string& name, std::string_view bytes) {
  Reader reader(name, bytes);
  if (!is_restart(bytes)) reader.fail("it does not begin as a restart file of halyard-md; read data files with --data");
  reader.skip(kMagic.size());
  System system;
  reader.take(system.step);
  reader.take(system.num_atoms);
  reader.expect(system.step >= 0, "the step is below 0");
  take_box(reader, system);
  take_kinds(reader, system);
  take_atoms(reader, system);
  const std::string_view covered = bytes.substr(0, bytes.size() - reader.left());
  reader.expect(reader.taken<std::uint64_t>() == checksum(covered), "the checksum is another one");
  reader.expect(reader.left() == 0, "something follows");
  return system;
}

}  // namespace halyard::md
