// Pattern, see halyard/pattern.hpp.
#include "halyard/pattern.hpp"

namespace halyard {
namespace {

std::size_t bytes_of(const std::vector<Piece>& pieces) {
  std::size_t bytes = pieces.capacity() * sizeof(Piece);
  for (const Piece& piece : pieces)
    bytes += (piece.here.elements.capacity() + piece.there.elements.capacity()) * sizeof(std::int64_t);
  return bytes;
}

}  // namespace

std::size_t Pattern::memory_bytes() const {
  std::size_t bytes =
      sizeof(Pattern) + patches.capacity() * sizeof(LocalPatch) + neighbors.capacity() * sizeof(PatternNeighbor);
  for (const PatternNeighbor& neighbor : neighbors) bytes += bytes_of(neighbor.sends) + bytes_of(neighbor.receives);
  return bytes;
}

}  // namespace halyard
