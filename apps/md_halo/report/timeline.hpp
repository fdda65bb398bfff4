// Timeline: which phase the stretches between marks in a stream belong to. Marking only enqueues: phases of a GPU are
// timed without anybody waiting for them. On the host there is none. Main thread only.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/stream_clock.hpp"
#include "report/phases.hpp"

namespace halyard::md {

template <class Space>
class Timeline {
 public:
  /// What follows counts `weight` times; what came since the last mark does not count.
  void begin(int weight) {
    weight_ = 0;
    mark(Phase::motion);
    weight_ = weight;
  }
  /// The work enqueued since the last mark belongs to `phase`.
  void mark(Phase phase) {
    if (clock_.num_marks() > 0) stretches_.push_back({phase, weight_});
    clock_.mark();
  }
  /// Adds what has been marked to `phases`. Waits for the stream to come to the last mark.
  void add_to(Phases& phases) {
    const std::vector<double> seconds = clock_.take();
    for (std::size_t i = 0; i < seconds.size(); ++i) phases.add(stretches_[i].phase, stretches_[i].weight * seconds[i]);
    stretches_.clear();
  }

 private:
  struct Stretch {
    Phase phase = Phase::motion;
    int weight = 0;
  };

  StreamClock<Space> clock_;
  std::vector<Stretch> stretches_;
  int weight_ = 0;
};

template <>
class Timeline<HostSpace> {};

}  // namespace halyard::md
