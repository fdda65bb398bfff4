// Mail: rounds of letters between neighbors. In a round every neighbor sends every other one letter of any length,
// known only then; a letter goes in pieces of a fixed size, so that no length is too much for the channels, and the
// receiver works on the first piece while the next is written.
//
// Made in the steps of an Assembly (open, swap addresses, connect); owned by a Migrator or Borders; one thread. A round
// runs while both ends are in it; it ends when all letters have been taken, or with the first Status that is not ok,
// which every later round answers too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/assembly.hpp"
#include "exchange/binding_core.hpp"
#include "halyard/path.hpp"
#include "halyard/status.hpp"
#include "transport/worker.hpp"

namespace halyard::particles {

/// What a round sends and takes. Peers by number, as in Mail.
class Letters {
 public:
  Letters() = default;
  Letters(const Letters&) = delete;
  Letters& operator=(const Letters&) = delete;
  virtual ~Letters() = default;

  /// Data path. Writes the next piece of the letter to `peer`; answers its bytes.
  virtual std::size_t write(std::size_t peer, std::span<std::byte> piece) = 0;
  /// Data path. True when nothing is left to write to `peer`; asked after the first write.
  virtual bool is_written(std::size_t peer) = 0;
  /// Data path. Takes the next piece of the letter from `peer`; false: not now, ask again when others have been heard.
  virtual bool take(std::size_t peer, std::span<const std::byte> piece) = 0;
};

class Mail {
 public:
  /// `ranks` ascending, without this one; they name this rank in turn. `what` is the caller, for reports: "migrate".
  Mail(std::string what, const PathFacts& facts, const exchange::Workers& workers, exchange::Surroundings around,
       std::vector<int> ranks, std::size_t piece_bytes);
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;
  ~Mail();

  void open();
  std::vector<transport::Blob> addresses();
  void connect(const std::vector<transport::Blob>& peer_addresses);

  const std::vector<int>& ranks() const { return ranks_; }
  std::size_t num_peers() const { return peers_.size(); }
  transport::Worker& worker(std::size_t peer) const { return *peers_[peer].worker; }
  const PathChoice& choice(std::size_t peer) const { return peers_[peer].choice; }

  /// One round with all peers, or with those marked in `with` (both ends mark each other).
  Status run(Letters& letters, const std::vector<bool>& with = {});

  /// The same in steps, for tests that play all ranks: start, then advance until it says that the round is over.
  void start(Letters& letters, const std::vector<bool>& with = {});
  bool advance();
  bool is_over() const { return !failure_.ok() || num_open_ == 0; }
  const Status& failure() const { return failure_; }

  /// Tells the peers that this rank gives up because of `culprit`, so that they need not wait.
  void give_up(Status why, int culprit);

 private:
  struct Peer;

  bool advance_peer(std::size_t number);
  bool write_pieces(std::size_t number);
  bool take_pieces(std::size_t number);
  std::uint64_t tag_of(std::uint64_t piece) const { return round_ << 32 | (piece & 0xffffffU); }
  void look_for_failure();
  void look_around();
  std::string progress_text(const Peer& peer) const;
  void fail_with_timeout(const base::Backoff& backoff);
  void fail_with_wrong_piece(const Peer& peer, std::uint64_t tag);

  struct Peer {
    int rank = 0;
    PathChoice choice;
    transport::Worker* worker = nullptr;
    std::unique_ptr<transport::Channel> channel;
    bool takes_part = false;
    bool is_heard = false;  // something of its letter is here, taken or not
    bool has_written = false;
    bool has_taken = false;
    std::uint64_t num_written = 0;  // pieces of this round
    std::uint64_t num_taken = 0;
    std::uint64_t num_posted = 0;  // on the channel
  };

  std::string what_;
  exchange::Surroundings around_;
  std::vector<int> ranks_;
  std::size_t piece_bytes_;
  std::vector<Peer> peers_;
  std::vector<transport::Worker*> workers_;  // each once
  Letters* letters_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t num_open_ = 0;  // peers whose round is not over
  Status failure_;
};

}  // namespace halyard::particles
