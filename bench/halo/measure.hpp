// CaseBench: one case with all its methods set up, verified and timed in interleaved rounds.
//
// Every round runs each method once, in an order that changes from round to round and is the same
// on all ranks. Warm: after an untimed exchange, as many exchanges in a row as last `batch_ms`.
// Cold: caches swept, owned cells rewritten as by a time step, then one exchange. Each rank keeps
// its own times; the maximum over ranks is taken when all rounds are over. All calls collective.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/cold_cache.hpp"
#include "common/hand_over.hpp"
#include "halo/method.hpp"
#include "halo/report/result.hpp"

namespace halyard::bench {

class CaseBench {
 public:
  CaseBench(const MethodInputs& inputs, const std::vector<const MethodEntry*>& entries, int batch_ms);

  /// Verifies all methods, times them, verifies them again.
  CaseResult run(Cache cache, int rounds);

 private:
  struct Contender {
    const MethodEntry* entry;
    std::unique_ptr<Method> method;  // null when it could not be set up
    std::string not_run;
    int batch = 1;
    bool is_verified = true;
    std::optional<double> packets;
    std::vector<double> samples_us;
  };

  void set_up(Contender& contender);
  void prepare(Contender& contender, Cache cache);
  bool verify(Method& method);
  void size_batch(Contender& contender);
  std::optional<double> count_packets(Method& method);
  void run_round(int round, Cache cache);
  double time_warm(Contender& contender);
  double time_cold(Contender& contender);
  std::vector<double> slowest(const std::vector<double>& mine) const;
  /// Takes the times of all ranks together and verifies again.
  MethodResult conclude(Contender& contender);

  MethodInputs inputs_;
  MPI_Comm comm_;
  CacheSweeper sweeper_;
  HandOver hand_over_;
  std::vector<Contender> contenders_;
  int epoch_ = 0;
  double batch_seconds_;
};

}  // namespace halyard::bench
