// See bootstrap.hpp.
#include "context/bootstrap.hpp"

#include <fmt/format.h>

#include <climits>

namespace halyard::context {
namespace {

Status status_of(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return own->status();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {StatusCode::out_of_resources, "out of memory"};
  return {StatusCode::transport_failed, error.what()};
}

constexpr int kSizeTag = 1;
constexpr int kBytesTag = 2;
constexpr std::size_t kPiece = std::size_t{1} << 30;  // MPI counts are int

}  // namespace

Bootstrap::Bootstrap(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  if (MPI_Comm_dup(comm, &copy) != MPI_SUCCESS)
    throw Error(StatusCode::transport_failed, "duplicate the communicator: MPI_Comm_dup failed");
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  comm_ = transport::mpi::Comm(copy);
  MPI_Comm_rank(copy, &rank_);
  MPI_Comm_size(copy, &size_);
}

void Bootstrap::together(const char* what, const std::function<void()>& step) {
  Status mine;
  try {
    step();
  } catch (const std::exception& error) {
    mine = status_of(error);
  }
  agree(what, mine);
}

void Bootstrap::agree(const char* what, const Status& mine) {
  const int vote = mine.ok() ? INT_MAX : rank_;
  int culprit = INT_MAX;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&vote, &culprit, 1, MPI_INT, MPI_MIN, comm(), &request);
  finish(request, what);
  if (culprit == INT_MAX) return;
  int head[2] = {static_cast<int>(mine.code()), static_cast<int>(mine.text().size())};
  MPI_Bcast(head, 2, MPI_INT, culprit, comm());
  std::string text = mine.text();
  text.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(text.data(), head[1], MPI_CHAR, culprit, comm());
  throw Error(static_cast<StatusCode>(head[0]), size_ == 1 ? text : fmt::format("rank {}: {}", culprit, text));
}

void Bootstrap::all_to_all_bytes(const void* mine, void* theirs, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(mine, bytes, MPI_BYTE, theirs, bytes, MPI_BYTE, comm(), &request);
  finish(request, "exchange set-up data");
}

std::vector<transport::Blob> Bootstrap::swap(const std::vector<int>& ranks, const std::vector<transport::Blob>& blobs) {
  std::vector<std::uint64_t> sizes(ranks.size());
  std::vector<std::uint64_t> own_sizes(ranks.size());
  std::vector<MPI_Request> requests;
  auto add = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    own_sizes[i] = blobs[i].size();
    MPI_Irecv(&sizes[i], 1, MPI_UINT64_T, ranks[i], kSizeTag, comm(), add());
    MPI_Isend(&own_sizes[i], 1, MPI_UINT64_T, ranks[i], kSizeTag, comm(), add());
  }
  for (MPI_Request request : requests) finish(request, "exchange set-up sizes with neighbors");
  requests.clear();
  std::vector<transport::Blob> theirs(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    theirs[i].resize(sizes[i]);
    for (std::size_t at = 0; at < sizes[i]; at += kPiece)
      MPI_Irecv(theirs[i].data() + at, static_cast<int>(std::min(kPiece, sizes[i] - at)), MPI_BYTE, ranks[i], kBytesTag,
                comm(), add());
    for (std::size_t at = 0; at < own_sizes[i]; at += kPiece)
      MPI_Isend(blobs[i].data() + at, static_cast<int>(std::min(kPiece, own_sizes[i] - at)), MPI_BYTE, ranks[i],
                kBytesTag, comm(), add());
  }
  for (MPI_Request request : requests) finish(request, "exchange set-up data with neighbors");
  return theirs;
}

void Bootstrap::finish(MPI_Request request, const char* what) {
  base::Backoff backoff(wait_);
  int has_ended = 0;
  while (true) {
    if (MPI_Test(&request, &has_ended, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      throw Error(StatusCode::transport_failed, fmt::format("{}: MPI reported an error", what));
    if (has_ended != 0) return;
    if (backoff.pause() == base::Backoff::Outcome::deadline_passed)
      throw Error(
          StatusCode::timeout,
          fmt::format(
              "{}: rank {} waited {} s and not every rank came; all ranks of the communicator must make the same "
              "contexts and bindings in the same order",
              what, rank_, wait_.deadline_s));
  }
}

}  // namespace halyard::context
