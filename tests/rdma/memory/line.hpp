// Line: one queue pair between the two ranks of a test, each on its own device of the VM, and a registrar for memory
// that it reads and writes. What a message is above it is the test's affair. Collective.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "memory/registrar.hpp"
#include "transport/verbs/completions.hpp"
#include "transport/verbs/queue_pair.hpp"

namespace halyard::test {

class Line final : private transport::verbs::Completions::Listener {
 public:
  /// On the device that HALYARD_VERBS_DEVICE names, for memory of the host and of `gpu`. Null on both ranks, with why,
  /// where one has none.
  static std::unique_ptr<Line> open(std::shared_ptr<device::Device> gpu, std::string& refusal);

  memory::Registrar& registrar() { return rails_[0]->registrar(); }

  /// Both ranks write to each other; done when the other's has come whole and the own one need not be kept. Empty, or
  /// what went wrong.
  std::string write(const ibv_sge& from, const transport::verbs::RemotePlace& to);

  /// What the other rank gave.
  template <class T>
  T swapped(const T& mine) const {
    T theirs{};
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, peer_, 0, &theirs, sizeof theirs, MPI_BYTE, peer_, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return theirs;
  }

 private:
  explicit Line(transport::verbs::Rails rails);

  void on_sent(std::size_t, std::uint64_t posted) override { queue_pair_->on_sent(posted); }
  void on_received(std::size_t, std::uint32_t number) override;
  void on_failed(std::size_t, const ibv_wc& completion) override;

  int peer_;
  transport::verbs::Rails rails_;
  transport::verbs::Completions completions_;
  std::uint32_t id_;
  std::unique_ptr<transport::verbs::QueuePair> queue_pair_;
  std::array<std::uint64_t, 2> num_come_{};  // writes, and the words behind them
  std::uint64_t num_wanted_ = 0;
  std::string trouble_;
};

}  // namespace halyard::test
