// Bootstrap: how ranks talk while they set up: agree on failures, exchange addresses. Collective calls with a deadline,
// on a communicator that carries nothing else. Set-up only; one thread at a time.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "base/backoff.hpp"
#include "halyard/status.hpp"
#include "transport/channel.hpp"
#include "transport/mpi/handles.hpp"

namespace halyard::context {

class Bootstrap {
 public:
  /// Collective: duplicates `comm`.
  explicit Bootstrap(MPI_Comm comm);

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_.get(); }
  void set_wait(const base::WaitPolicy& wait) { wait_ = wait; }

  /// Collective. Runs a rank-local step; when it threw on any rank, throws the lowest such rank's Error on every rank.
  void together(const char* what, const std::function<void()>& step);

  /// Collective. One record to and from every rank.
  template <class T>
  std::vector<T> all_to_all(const std::vector<T>& records) {
    std::vector<T> theirs(records.size());
    all_to_all_bytes(records.data(), theirs.data(), static_cast<int>(sizeof(T)));
    return theirs;
  }

  /// Collective. Any number of records to and from every rank.
  template <class T>
  std::vector<std::vector<T>> all_to_all_lists(const std::vector<std::vector<T>>& lists);

  /// Between neighbors: one blob to, and one from, each of `ranks`, which list this rank in turn.
  std::vector<transport::Blob> swap(const std::vector<int>& ranks, const std::vector<transport::Blob>& blobs);

 private:
  void agree(const char* what, const Status& mine);
  void all_to_all_bytes(const void* mine, void* theirs, int bytes);
  void finish(MPI_Request request, const char* what);

  transport::mpi::Comm comm_;
  int rank_ = 0;
  int size_ = 1;
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
  const auto theirs = swap(everyone, blobs);
  std::vector<std::vector<T>> result(lists.size());
  for (std::size_t r = 0; r < theirs.size(); ++r) {
    result[r].resize(theirs[r].size() / sizeof(T));
    std::copy(theirs[r].begin(), theirs[r].end(), reinterpret_cast<std::byte*>(result[r].data()));
  }
  return result;
}

}  // namespace halyard::context
