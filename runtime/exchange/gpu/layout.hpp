// Layout of a binding's landing memory: the words of all links, then slot 0 of all links, then slot 1. Links are the
// plan's neighbors, in their order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halyard/plan.hpp"

namespace halyard::exchange::gpu {

struct LandingLayout {
  std::vector<std::size_t> landing;  // by link: offset of its slot 0
  std::size_t slot_bytes = 0;        // of all links together: how far slot 1 is behind slot 0
  std::size_t bytes = 0;             // of everything

  static LandingLayout of(const Plan& plan);
  /// Offset of a link's words.
  static std::size_t words(std::size_t link);
};

}  // namespace halyard::exchange::gpu
