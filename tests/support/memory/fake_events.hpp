// FakeEvents: tells of unmapping when a test says so.
#pragma once

#include <string>

#include "memory/events/unmap_events.hpp"

namespace halyard::test {

class FakeEvents final : public memory::UnmapEvents {
 public:
  /// From the next watch on; empty: hears.
  std::string deaf_because;
  int num_watched = 0;  // now

  std::string why_deaf() override { return deaf_because; }

 private:
  bool begin(memory::Range) override {
    if (!deaf_because.empty()) return false;
    ++num_watched;
    return true;
  }
  void end(memory::Range) noexcept override { --num_watched; }
};

}  // namespace halyard::test
