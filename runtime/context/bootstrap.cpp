// See bootstrap.hpp.
#include "context/bootstrap.hpp"

#include <fmt/format.h>

#include <array>
#include <climits>
#include <mutex>

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

// What one step hands to MPI, kept until MPI is done with it.
struct Ballot {
  int vote = INT_MAX;
  int culprit = INT_MAX;
};
struct Records {
  transport::Blob mine;
  transport::Blob theirs;
};
struct Swap {
  std::vector<transport::Blob> mine;
  std::vector<transport::Blob> theirs;
  std::vector<std::uint64_t> own_sizes;
  std::vector<std::uint64_t> sizes;
};

void keep_for_ever(std::shared_ptr<void> buffers) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(buffers));
}

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

Bootstrap::~Bootstrap() {
  // Freed with an operation open, the communicator would be used by MPI's progress after its end (Open MPI 4.1).
  if (!abandoned_.ok()) keep_for_ever(std::make_shared<transport::mpi::Comm>(std::move(comm_)));
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
  abandoned_.or_throw();
  const auto ballot = std::make_shared<Ballot>(Ballot{mine.ok() ? INT_MAX : rank_, INT_MAX});
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&ballot->vote, &ballot->culprit, 1, MPI_INT, MPI_MIN, comm(), &request);
  finish(request, ballot, what);
  const int culprit = ballot->culprit;
  if (culprit == INT_MAX) return;
  int head[2] = {static_cast<int>(mine.code()), static_cast<int>(mine.text().size())};
  MPI_Bcast(head, 2, MPI_INT, culprit, comm());
  std::string text = mine.text();
  text.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(text.data(), head[1], MPI_CHAR, culprit, comm());
  throw Error(static_cast<StatusCode>(head[0]), size_ == 1 ? text : fmt::format("rank {}: {}", culprit, text));
}

transport::Blob Bootstrap::all_to_all_bytes(transport::Blob mine, int bytes) {
  abandoned_.or_throw();
  const auto records = std::make_shared<Records>();
  records->theirs.resize(mine.size());
  records->mine = std::move(mine);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(records->mine.data(), bytes, MPI_BYTE, records->theirs.data(), bytes, MPI_BYTE, comm(), &request);
  finish(request, records, "exchange set-up data");
  return std::move(records->theirs);
}

std::uint32_t Bootstrap::any(std::uint32_t bits) {
  if (size_ == 1) return bits;
  abandoned_.or_throw();
  const auto votes = std::make_shared<std::array<std::uint32_t, 2>>(std::array<std::uint32_t, 2>{bits, 0});
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&(*votes)[0], &(*votes)[1], 1, MPI_UINT32_T, MPI_BOR, comm(), &request);
  finish(request, votes, "ask all ranks");
  return (*votes)[1];
}

std::vector<transport::Blob> Bootstrap::swap(const std::vector<int>& ranks, std::vector<transport::Blob> blobs) {
  abandoned_.or_throw();
  const auto swap = std::make_shared<Swap>(Swap{std::move(blobs), {}, {}, {}});
  swap->theirs.resize(ranks.size());
  swap->own_sizes.resize(ranks.size());
  swap->sizes.resize(ranks.size());
  std::vector<MPI_Request> requests;
  auto add = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    swap->own_sizes[i] = swap->mine[i].size();
    MPI_Irecv(&swap->sizes[i], 1, MPI_UINT64_T, ranks[i], kSizeTag, comm(), add());
    MPI_Isend(&swap->own_sizes[i], 1, MPI_UINT64_T, ranks[i], kSizeTag, comm(), add());
  }
  for (MPI_Request request : requests) finish(request, swap, "exchange set-up sizes with neighbors");
  requests.clear();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    transport::Blob& theirs = swap->theirs[i];
    theirs.resize(swap->sizes[i]);
    for (std::size_t at = 0; at < theirs.size(); at += kPiece)
      MPI_Irecv(theirs.data() + at, static_cast<int>(std::min(kPiece, theirs.size() - at)), MPI_BYTE, ranks[i],
                kBytesTag, comm(), add());
    transport::Blob& mine = swap->mine[i];
    for (std::size_t at = 0; at < mine.size(); at += kPiece)
      MPI_Isend(mine.data() + at, static_cast<int>(std::min(kPiece, mine.size() - at)), MPI_BYTE, ranks[i], kBytesTag,
                comm(), add());
  }
  for (MPI_Request request : requests) finish(request, swap, "exchange set-up data with neighbors");
  return std::move(swap->theirs);
}

void Bootstrap::finish(MPI_Request request, const std::shared_ptr<void>& buffers, const char* what) {
  base::Backoff backoff(wait_);
  int has_ended = 0;
  while (true) {
    if (MPI_Test(&request, &has_ended, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      abandon(buffers, {StatusCode::transport_failed, fmt::format("{}: MPI reported an error", what)});
    if (has_ended != 0) return;
    pause(backoff, buffers, what);
  }
}

void Bootstrap::pause(base::Backoff& backoff, const std::shared_ptr<void>& buffers, const char* what) {
  if (backoff.pause() != base::Backoff::Outcome::deadline_passed) return;
  abandon(buffers,
          {StatusCode::timeout,
           fmt::format("{}: rank {} waited {} s and not every rank came; all ranks of the communicator must make the "
                       "same contexts and bindings in the same order; make a new context to go on",
                       what, rank_, wait_.deadline_s)});
}

void Bootstrap::leave(std::shared_ptr<void> buffers) {
  keep_for_ever(std::move(buffers));
  if (abandoned_.ok()) abandoned_ = {StatusCode::timeout, "a rank did not answer at the end of its context"};
}

void Bootstrap::abandon(const std::shared_ptr<void>& buffers, Status why) {
  keep_for_ever(buffers);
  abandoned_ = std::move(why);
  throw Error(abandoned_);
}

}  // namespace halyard::context
