// SizeBench: interleaved rounds of all methods on messages of one size.
//
// A round runs each method once, in an order that changes from round to round: some messages there and back, then a
// stream one way. How many they are is chosen so that each takes about two milliseconds. Collective; one thread a rank.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "link/lines.hpp"
#include "link/options.hpp"

namespace halyard::bench {

struct LinkResult {
  std::string method;
  std::string path = "-";
  std::string not_run;               // why, when it was not
  std::vector<double> one_way_us;    // half of there and back, one sample a round
  std::vector<double> messages_a_s;  // of a stream, one sample a round
  bool is_verified = false;          // before and after the rounds, on both ranks
};

class SizeBench {
 public:
  SizeBench(MPI_Comm comm, Lines& lines, const LinkBenchOptions& options, std::int64_t bytes);

  std::vector<LinkResult> run();

 private:
  struct Contender {
    LinkResult result;
    std::unique_ptr<Line> line;
    int pings = 1;
    int stream = 1;
    bool is_right = false;
  };

  void prepare(Contender& contender, Lines& lines, std::int64_t bytes);
  bool verify(Line& line) const;
  void run_round(int round);
  void measure(Contender& contender) const;
  void meet(Line& line) const;
  double longest(double seconds) const;

  MPI_Comm comm_;
  const LinkBenchOptions& options_;
  std::vector<Contender> contenders_;
};

}  // namespace halyard::bench
