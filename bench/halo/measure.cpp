// Interleaved rounds of all methods on one case; see measure.hpp.
#include "halo/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "common/quantiles.hpp"
#include "common/wire_packets.hpp"

namespace halyard::bench {
namespace {

constexpr int kVerifyExchanges = 3;  // more than any method has buffers in turn
constexpr int kLargestBatch = 10000;

}  // namespace

CaseBench::CaseBench(const MethodInputs& inputs, const std::vector<const MethodEntry*>& entries, int batch_ms)
    : inputs_(inputs), comm_(inputs.comm), hand_over_(inputs.comm), batch_seconds_(1e-3 * batch_ms) {
  inputs.user_fields.fill(0);
  for (const MethodEntry* entry : entries) {
    contenders_.push_back({entry, nullptr, "", 1, true, {}, {}});
    set_up(contenders_.back());
  }
}

// A maker throws on every rank or on none, so that nobody waits for a rank that gave up.
void CaseBench::set_up(Contender& contender) {
  try {
    contender.method = contender.entry->make(inputs_);
  } catch (const std::exception& error) {
    contender.not_run = error.what();
  }
}

CaseResult CaseBench::run(Cache cache, int rounds) {
  for (Contender& contender : contenders_) prepare(contender, cache);
  std::vector<double> hand_overs_ns;
  for (int round = 0; round < rounds; ++round) {
    if (const auto ns = hand_over_.measure_ns()) hand_overs_ns.push_back(*ns);
    run_round(round, cache);
  }
  const Geometry& geometry = inputs_.geometry;
  CaseResult result{
      geometry.bench_case, cache, geometry.ranks, static_cast<int>(geometry.halos.size()), geometry.bytes(),
      std::nullopt,        {}};
  if (!hand_overs_ns.empty()) result.hand_over_ns = median(hand_overs_ns);
  for (Contender& contender : contenders_) result.methods.push_back(conclude(contender));
  return result;
}

void CaseBench::prepare(Contender& contender, Cache cache) {
  if (!contender.method) return;
  contender.samples_us.clear();
  contender.is_verified = verify(*contender.method);
  contender.packets = count_packets(*contender.method);
  if (cache == Cache::warm) size_batch(contender);
}

// Barriers send packets too, and are counted alone first.
std::optional<double> CaseBench::count_packets(Method& method) {
  constexpr int kExchanges = 100;
  constexpr double kBarriers = 20;
  MPI_Barrier(comm_);
  const auto before = packets_sent();
  for (int i = 0; i < static_cast<int>(kBarriers); ++i) MPI_Barrier(comm_);
  const auto between = packets_sent();
  MPI_Barrier(comm_);
  const auto start = packets_sent();
  (void)method.time(kExchanges);
  MPI_Barrier(comm_);
  const auto end = packets_sent();
  if (!before || !between || !start || !end) return std::nullopt;
  const double of_barrier = static_cast<double>(*between - *before) / kBarriers;
  return std::max(0.0, static_cast<double>(*end - *start) - of_barrier) / kExchanges;
}

// Every exchange gets new codes, so that a ghost left from the one before is found.
bool CaseBench::verify(Method& method) {
  if (method.source() == GhostSource::nothing) return true;
  std::int64_t wrong = 0;
  for (int i = 0; i < kVerifyExchanges; ++i) {
    method.fields().fill(++epoch_);
    MPI_Barrier(comm_);
    method.exchange();
    wrong += method.fields().num_wrong(epoch_, method.source());
    MPI_Barrier(comm_);
  }
  std::int64_t wrong_anywhere = 0;
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT64_T, MPI_SUM, comm_);
  return wrong_anywhere == 0;
}

void CaseBench::size_batch(Contender& contender) {
  double seconds = 0.0;
  for (int count = 1; count <= 8; count *= 8) {
    MPI_Barrier(comm_);
    seconds = contender.method->time(count);
  }
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
  const double batch = std::ceil(batch_seconds_ / std::max(seconds, 1e-9));
  contender.batch = static_cast<int>(std::clamp(batch, 1.0, static_cast<double>(kLargestBatch)));
}

void CaseBench::run_round(int round, Cache cache) {
  std::vector<std::size_t> order(contenders_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(round)));
  for (const std::size_t i : order) {
    Contender& contender = contenders_[i];
    if (!contender.method) continue;
    const double seconds = cache == Cache::warm ? time_warm(contender) : time_cold(contender);
    contender.samples_us.push_back(seconds * 1e6);
  }
}

double CaseBench::time_warm(Contender& contender) {
  contender.method->exchange();
  MPI_Barrier(comm_);
  return contender.method->time(contender.batch);
}

double CaseBench::time_cold(Contender& contender) {
  sweeper_.sweep();
  contender.method->fields().touch();
  MPI_Barrier(comm_);
  return contender.method->time(1);
}

std::vector<double> CaseBench::slowest(const std::vector<double>& mine) const {
  std::vector<double> all(mine.size());
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, comm_);
  return all;
}

MethodResult CaseBench::conclude(Contender& contender) {
  MethodResult result{
      std::string(contender.entry->name), std::string(contender.entry->mode), "-", "-", {}, false, contender.not_run};
  if (!contender.method) return result;
  result.path = contender.method->path();
  result.memory = contender.method->memory();
  result.packets = contender.packets;
  result.samples_us = slowest(contender.samples_us);
  result.is_verified = verify(*contender.method) && contender.is_verified;
  return result;
}

}  // namespace halyard::bench
