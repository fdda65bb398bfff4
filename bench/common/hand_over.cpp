// Ping-pong on one cache line; see hand_over.hpp.
#include "common/hand_over.hpp"

#include "common/spin.hpp"

namespace halyard::bench {
namespace {

constexpr int kRoundTrips = 500;

}  // namespace

HandOver::HandOver(MPI_Comm comm) : comm_(comm) {
  int size = 0;
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size);
  const bool one_node = is_one_node(comm);
  if (size > 1 && one_node && have_core_each(size)) block_ = std::make_unique<SharedBlock>(comm, sizeof(FlagLine));
}

std::optional<double> HandOver::measure_ns() {
  if (!block_) return std::nullopt;
  MPI_Barrier(comm_);
  double ns = rank_ < 2 ? ping_pong_ns() : 0.0;
  MPI_Bcast(&ns, 1, MPI_DOUBLE, 0, comm_);
  return ns;
}

// Rank 0 makes the count odd, rank 1 even; the one line of rank 0's block is all they share.
double HandOver::ping_pong_ns() {
  FlagLine& line = *reinterpret_cast<FlagLine*>(block_->of(0));
  const auto await = [&line](std::uint64_t count) {
    while (line.value.load(std::memory_order_acquire) != count) relax();
  };
  const double begin = MPI_Wtime();
  for (int i = 0; i < kRoundTrips; ++i, count_ += 2) {
    if (rank_ == 1) await(count_ + 1);
    line.value.store(count_ + 1 + static_cast<std::uint64_t>(rank_), std::memory_order_release);
    if (rank_ == 0) await(count_ + 2);
  }
  return (MPI_Wtime() - begin) * 1e9 / (2.0 * kRoundTrips);
}

}  // namespace halyard::bench
