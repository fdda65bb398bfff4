// How values meet in a reverse exchange.
#pragma once

#include <cstdint>

namespace halyard {

/// What a reverse exchange does with the value in an owned cell and the one that arrives for it. Opaque elements cannot
/// be reduced. min and max of floating-point values follow a < b ? a : b, so a NaN that arrives is ignored.
enum class Reduce : std::uint8_t { sum, min, max };

/// `arrival` adds what comes first; `fixed` adds in ascending rank order, so that equal runs give equal bits.
enum class ReduceOrder : std::uint8_t { arrival, fixed };

}  // namespace halyard
