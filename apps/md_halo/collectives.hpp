// Collectives: the few sums and questions that all ranks answer together while a run goes on, with a deadline.
//
// Sums are made in the order of ranks, so they are equal on every rank and in every run. Main thread only.
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace halyard::md {

/// An exchange did not end well. Thrown by one rank alone: no collective call may follow.
class TransferFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Collectives {
 public:
  /// `deadline_s` 0: none.
  Collectives(MPI_Comm comm, double deadline_s) : comm_(comm), deadline_s_(deadline_s) {}

  /// Whether it holds on some rank. Throws TransferFailed past the deadline.
  bool any(bool is_mine) const;

  /// The sum of each number over ranks. Throws TransferFailed past the deadline.
  template <std::size_t N>
  std::array<double, N> sum(const std::array<double, N>& mine) const {
    std::array<double, N> sums{};
    const std::vector<double> all = gather(mine.data(), N);
    for (std::size_t i = 0; i < all.size(); ++i) sums[i % N] += all[i];
    return sums;
  }

 private:
  /// Of all ranks, in their order.
  std::vector<double> gather(const double* mine, std::size_t count) const;
  void wait(MPI_Request request, const char* what) const;

  MPI_Comm comm_;
  double deadline_s_;
};

}  // namespace halyard::md
