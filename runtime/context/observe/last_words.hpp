// LastWords: what a context writes when it ends, from what all ranks say: the report and the trace. Rank 0 writes.
#pragma once

#include <string>
#include <vector>

#include "context/observe/collect.hpp"
#include "context/observe/packed.hpp"
#include "halyard/options.hpp"
#include "metrics/output/output_name.hpp"

namespace halyard::context {

class LastWords {
 public:
  LastWords(const OutputOptions& wishes, const metrics::Writer& writer, std::vector<ClockReading> first_clocks)
      : wishes_(wishes), writer_(writer), first_clocks_(std::move(first_clocks)) {}

  /// Collective, and never longer than a few seconds. `seconds`: how long to wait for a rank that does not come. Throws
  /// Error for a file that cannot be written.
  void say(Talk& talk, const Account& mine, double seconds);
  /// The same where nobody can be asked any more.
  void say_alone(const Account& mine);

 private:
  void write_report(const std::vector<Metrics>& heard, const std::vector<int>& missing) const;

  const OutputOptions& wishes_;
  const metrics::Writer& writer_;
  std::vector<ClockReading> first_clocks_;  // by rank, when the context was made; empty without a trace
};

}  // namespace halyard::context
