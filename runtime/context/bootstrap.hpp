// Bootstrap: how ranks talk while they set up: agree on failures, exchange addresses. Collective calls with a deadline,
// on a communicator that carries nothing else. Set-up only; one thread at a time.
//
// When a deadline passes, MPI still knows the buffers of what was begun, and may write to them whenever the missing
// rank comes. So they, and the communicator, then stay for ever, and every later call throws what the first one threw.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/backoff.hpp"
#include "halyard/status.hpp"
#include "transport/channel.hpp"
#include "transport/mpi/handles.hpp"

namespace halyard::context {

/// A blob to, or from, a rank.
struct Delivered {
  int rank = 0;
  transport::Blob bytes;
};

class Bootstrap {
 public:
  /// Collective: duplicates `comm`.
  explicit Bootstrap(MPI_Comm comm);
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;
  ~Bootstrap();

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_.get(); }
  void set_wait(const base::WaitPolicy& wait) { wait_ = wait; }

  /// Collective. Runs a rank-local step; when it threw on any rank, throws the lowest such rank's Error on every rank.
  void together(const char* what, const std::function<void()>& step);

  /// Collective. One record to and from every rank.
  template <class T>
  std::vector<T> all_to_all(const std::vector<T>& records) {
    const auto* bytes = reinterpret_cast<const std::byte*>(records.data());
    const auto theirs = all_to_all_bytes({bytes, bytes + records.size() * sizeof(T)}, static_cast<int>(sizeof(T)));
    std::vector<T> result(records.size());
    std::copy(theirs.begin(), theirs.end(), reinterpret_cast<std::byte*>(result.data()));
    return result;
  }

  /// Collective. Any number of records to and from every rank.
  template <class T>
  std::vector<std::vector<T>> all_to_all_lists(const std::vector<std::vector<T>>& lists);

  /// Collective. Which bits are set on any rank.
  std::uint32_t any(std::uint32_t bits);

  /// Collective. Any blobs to any ranks, without knowing what comes; answers what came, ascending by rank. Costs a rank
  /// its own blobs and a barrier, however many ranks there are.
  std::vector<Delivered> deliver(std::vector<Delivered> mine);

  /// Between neighbors: one blob to, and one from, each of `ranks`, which list this rank in turn.
  std::vector<transport::Blob> swap(const std::vector<int>& ranks, std::vector<transport::Blob> blobs);

  /// Keeps for ever what MPI may still write to or read, and the communicator with it: nothing can be agreed on after.
  void leave(std::shared_ptr<void> buffers);
  /// Whether nothing can be agreed on any more.
  bool is_abandoned() const { return !abandoned_.ok(); }

 private:
  void agree(const char* what, const Status& mine);
  transport::Blob all_to_all_bytes(transport::Blob mine, int bytes);
  void finish(MPI_Request request, const std::shared_ptr<void>& buffers, const char* what);
  void pause(base::Backoff& backoff, const std::shared_ptr<void>& buffers, const char* what);
  [[noreturn]] void abandon(const std::shared_ptr<void>& buffers, Status why);

  transport::mpi::Comm comm_;
  Status abandoned_;  // why nothing can be agreed on any more
  int rank_ = 0;
  int size_ = 1;
  std::uint64_t num_deliveries_ = 0;
  base::WaitPolicy wait_;
};

template <class T>
std::vector<std::vector<T>> Bootstrap::all_to_all_lists(const std::vector<std::vector<T>>& lists) {
  std::vector<int> everyone(lists.size());
  std::vector<transport::Blob> blobs(lists.size());
  for (std::size_t r = 0; r < lists.size(); ++r) {
    everyone[r] = static_cast<int>(r);
    const auto* bytes = reinterpret_cast<const std::byte*>(lists[r].data());
    blobs[r].assign(bytes, bytes + lists[r].size() * sizeof(T));
  }
  const auto theirs = swap(everyone, std::move(blobs));
  std::vector<std::vector<T>> result(lists.size());
  for (std::size_t r = 0; r < theirs.size(); ++r) {
    result[r].resize(theirs[r].size() / sizeof(T));
    std::copy(theirs[r].begin(), theirs[r].end(), reinterpret_cast<std::byte*>(result[r].data()));
  }
  return result;
}

}  // namespace halyard::context
