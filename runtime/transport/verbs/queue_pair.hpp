// QueuePair: one reliable connection over one rail. Writes into the peer's memory, with a number that arrives with the
// write, and counts what its queue holds so that neither queue can overrun.
//
// Used by the thread that uses its channel. Receives are posted before the peer can know of the queue pair and put back
// in batches; how many the peer may use up before we look is limited by the channel's credits, so it never finds none
// (field case V03).
#pragma once

#include <endian.h>

#include <cstdint>
#include <span>

#include "transport/verbs/device/rail.hpp"
#include "transport/verbs/handles.hpp"

namespace halyard::transport::verbs {

/// What the other end must know of a queue pair.
struct QueuePairAddress {
  std::uint32_t number = 0;
  std::uint32_t first_packet = 0;
  std::uint8_t gid[16] = {};
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;
  std::uint8_t is_ethernet = 0;
};

/// Where a write begins in the peer's memory.
struct RemotePlace {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
};

/// What a completion's wr_id says.
struct CompletionId {
  std::uint32_t id = 0;      // of the queue pair
  std::uint64_t posted = 0;  // of a send
};
inline constexpr int kIdBits = 24;
inline std::uint64_t pack(CompletionId id) { return id.posted << kIdBits | id.id; }
inline CompletionId unpack_id(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word & ((1U << kIdBits) - 1)), word >> kIdBits};
}

/// Whose memory a write reads; only the NIC can read a GPU's.
enum class Source : std::uint8_t { host, gpu };

class QueuePair {
 public:
  static constexpr std::uint32_t kSends = 64;     // work requests that may be under way
  static constexpr std::uint32_t kReceives = 16;  // arrivals that need not have been looked at
  static constexpr std::uint32_t kSignalEvery = 32;
  static constexpr std::uint32_t kInline = 220;  // asked for; a message of 19 doubles and its header
  static constexpr std::uint32_t kGathers = 2;   // under way, each with a completion of its own
  static constexpr std::uint32_t kCompletions = kSends / kSignalEvery + 2 + kGathers + kReceives;

  /// `id` comes back in the completions' wr_id, see completion_id(). `most_pieces` is for write_pieces(). Throws Error.
  QueuePair(const Rail& rail, ibv_cq* completions, std::uint32_t id, std::uint32_t most_pieces = 1);
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;
  ~QueuePair();

  QueuePairAddress address() const;
  /// Throws Error.
  void connect(const QueuePairAddress& peer, int peer_rank, const Settings& settings);
  /// How much of a message a packet holds, once connected.
  std::uint32_t packet_bytes() const { return packet_bytes_; }

  // ---- data path ---------------------------------------------------------------------------------------------------

  bool has_room() const { return num_posted_ - num_completed_ < kSends; }
  /// RDMA WRITE WITH IMMEDIATE. has_room() must be true. Returns errno.
  int write(const ibv_sge& from, const RemotePlace& to, std::uint32_t number, Source source = Source::host);
  /// The same of pieces, one after the other. Asks for a completion: has_read() says when they may change. No more than
  /// kGathers at a time.
  int write_pieces(std::span<const ibv_sge> from, const RemotePlace& to, std::uint32_t number);
  /// The same of no bytes. The last one is signaled, so that is_idle() comes to be true.
  int write_word(const RemotePlace& to, std::uint32_t number, bool is_last);
  /// A send completion: of the request that was number `posted`, and of all before it.
  void on_sent(std::uint64_t posted) { num_completed_ = posted; }
  /// An arrival was looked at. Returns errno.
  int on_received();
  /// Requests so far.
  std::uint64_t num_posted() const { return num_posted_; }
  /// Request number `posted` needs this end's memory no more.
  bool has_read(std::uint64_t posted) const { return num_completed_ >= posted; }
  /// Every request has completed.
  bool is_idle() const { return num_posted_ == num_completed_; }

  static std::uint64_t num_open();

 private:
  void ask_for_completion() { num_signaled_ = num_posted_ - kSignalEvery; }  // of the next request
  unsigned next_flags() {
    if (++num_posted_ - num_signaled_ < kSignalEvery) return 0;
    num_signaled_ = num_posted_;
    return IBV_SEND_SIGNALED;
  }
  void begin_extended(const RemotePlace& to, std::uint32_t number, unsigned flags) {
    ibv_wr_start(extended_);
    extended_->wr_id = num_posted_ << kIdBits | id_;
    extended_->wr_flags = flags;
    ibv_wr_rdma_write_imm(extended_, to.key, to.address, htobe32(number));
  }
  int write_listed(std::span<const ibv_sge> from, const RemotePlace& to, std::uint32_t number, unsigned flags);
  int post_receives(std::uint32_t count);

  const Rail& rail_;
  std::uint32_t id_;
  QueuePairHandle handle_;
  ibv_qp_ex* extended_ = nullptr;         // null where the device has no ibv_wr_*
  ibv_recv_wr receives_[kReceives] = {};  // one list, of which any end can be posted
  std::uint32_t first_packet_ = 0;
  std::uint32_t max_inline_ = 0;
  std::uint32_t packet_bytes_ = 0;
  std::uint64_t num_posted_ = 0;
  std::uint64_t num_completed_ = 0;
  std::uint64_t num_signaled_ = 0;  // num_posted_ at the last request that asked for a completion
  std::uint32_t num_looked_at_ = 0;
};

}  // namespace halyard::transport::verbs
