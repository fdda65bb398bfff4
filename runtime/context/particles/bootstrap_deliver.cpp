// Bootstrap::deliver: blobs to ranks that do not know of them. After the consensus of Hoefler, Siebert and Lumsdaine
// (Scalable Communication Protocols for Dynamic Sparse Data Exchange, 2010): synchronous sends end when their receiver
// has them; whose sends have ended enters a barrier; when the barrier is over, all that was sent has been received.
#include <array>
#include <climits>
#include <list>
#include <map>

#include "context/bootstrap.hpp"

namespace halyard::context {
namespace {

// Two tags by turns: a rank that has left the barrier may send for the next delivery while another has not yet.
constexpr std::array<int, 2> kTags{3, 4};
constexpr std::size_t kPiece = std::size_t{1} << 30;  // MPI counts are int; a piece of this size is followed by another

// What MPI knows of, kept until it is done with it.
struct Delivery {
  std::vector<Delivered> mine;
  std::vector<MPI_Request> sends;
  std::map<int, transport::Blob> came;
  MPI_Request barrier = MPI_REQUEST_NULL;
  int tag = 0;

  void send_all(MPI_Comm comm, int self) {
    for (Delivered& parcel : mine) {
      if (parcel.rank == self) {
        came[self] = std::move(parcel.bytes);
        continue;
      }
      for (std::size_t at = 0; at <= parcel.bytes.size(); at += kPiece) {
        const std::size_t bytes = std::min(kPiece, parcel.bytes.size() - at);
        MPI_Issend(parcel.bytes.data() + at, static_cast<int>(bytes), MPI_BYTE, parcel.rank, tag, comm,
                   &sends.emplace_back(MPI_REQUEST_NULL));
      }
    }
  }

  // Takes one message, if there is one. Pieces of one rank come in order.
  bool take(MPI_Comm comm) {
    int has_message = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &has_message, &message, &status);
    if (has_message == 0) return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    transport::Blob& blob = came[status.MPI_SOURCE];
    const std::size_t at = blob.size();
    blob.resize(at + static_cast<std::size_t>(bytes));
    MPI_Mrecv(blob.data() + at, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return true;
  }

  bool has_sent_all() {
    int has_ended = 0;
    MPI_Testall(static_cast<int>(sends.size()), sends.data(), &has_ended, MPI_STATUSES_IGNORE);
    return has_ended != 0;
  }
};

}  // namespace

std::vector<Delivered> Bootstrap::deliver(std::vector<Delivered> mine) {
  abandoned_.or_throw();
  const auto delivery = std::make_shared<Delivery>();
  delivery->mine = std::move(mine);
  delivery->tag = kTags[num_deliveries_++ % kTags.size()];
  delivery->send_all(comm(), rank_);
  base::Backoff backoff(wait_);
  bool is_in_barrier = false;
  for (int is_over = 0; is_over == 0;) {
    if (delivery->take(comm())) {
      backoff.progressed();
      continue;
    }
    if (!is_in_barrier && delivery->has_sent_all()) {
      MPI_Ibarrier(comm(), &delivery->barrier);
      is_in_barrier = true;
    }
    if (is_in_barrier) MPI_Test(&delivery->barrier, &is_over, MPI_STATUS_IGNORE);
    if (is_over == 0) pause(backoff, delivery, "deliver to ranks that are no neighbors");
  }
  std::vector<Delivered> came;
  for (auto& [rank, bytes] : delivery->came) came.push_back({rank, std::move(bytes)});
  return came;
}

}  // namespace halyard::context
