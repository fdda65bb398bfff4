// faulty: a worker whose channels misbehave on purpose, to test that nothing hangs and nothing wrong is called done.
#pragma once

#include <cstdint>
#include <memory>

#include "transport/worker.hpp"

namespace halyard::transport::faulty {

enum class Fault {
  none,
  drop,     // the message is never posted
  delay,    // the message is posted only after `polls` further calls of the channel
  reorder,  // the message is posted after the one that follows it
  fail,     // the channel reports transport_failed instead of posting
};

/// What happens to message number `nth` (from 1) of every channel to `peer` (-1: to any).
struct FaultPlan {
  Fault fault = Fault::none;
  std::uint64_t nth = 1;
  int polls = 1000;
  int peer = -1;
};

std::unique_ptr<Worker> wrap(std::unique_ptr<Worker> inner, const FaultPlan& plan);

}  // namespace halyard::transport::faulty
