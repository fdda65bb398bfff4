// See dump.hpp.
#include "output/dump.hpp"

#include <array>
#include <charconv>

namespace halyard::md {
namespace {

template <class T>
void append(std::string& text, T value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

void append(std::string& text, const Vector& values) {
  for (const double value : values) {
    text += ' ';
    append(text, value);
  }
}

}  // namespace

std::string frame_text(std::int64_t step, const SpaceBox& box, const std::vector<AtomWithForce>& atoms) {
  std::string text = "ITEM: TIMESTEP\n" + std::to_string(step) + "\nITEM: NUMBER OF ATOMS\n" +
                     std::to_string(atoms.size()) + "\nITEM: BOX BOUNDS pp pp pp\n";
  for (std::size_t a = 0; a < 3; ++a) {
    append(text, box.lo[a]);
    text += ' ';
    append(text, box.hi[a]);
    text += '\n';
  }
  text += "ITEM: ATOMS id type x y z vx vy vz fx fy fz\n";
  for (const AtomWithForce& each : atoms) {
    append(text, each.atom.id);
    text += ' ';
    append(text, each.atom.type);
    append(text, each.atom.x);
    append(text, each.atom.v);
    append(text, each.f);
    text += '\n';
  }
  return text;
}

}  // namespace halyard::md
