// See mail.hpp. A piece begins with its length and whether it is the last of its letter.
#include "particles/mail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace halyard::particles {
namespace {

struct PieceHead {
  std::uint64_t bytes = 0;
  std::uint64_t is_last = 0;
};

}  // namespace

Mail::Mail(std::string what, const PathFacts& facts, const exchange::Workers& workers, exchange::Surroundings around,
           std::vector<int> ranks, std::size_t piece_bytes)
    : what_(std::move(what)),
      around_(std::move(around)),
      ranks_(std::move(ranks)),
      piece_bytes_(piece_bytes),
      peers_(ranks_.size()) {
  for (std::size_t p = 0; p < ranks_.size(); ++p) {
    Peer& peer = peers_[p];
    peer.rank = ranks_[p];
    peer.choice = facts.choose(peer.rank);
    peer.worker = workers[static_cast<std::size_t>(peer.choice.path)];
    if (std::find(workers_.begin(), workers_.end(), peer.worker) == workers_.end()) workers_.push_back(peer.worker);
  }
}

Mail::~Mail() {
  if (!around_.is_running()) return;
  for (Peer& peer : peers_)
    if (peer.channel != nullptr && !peer.channel->is_quiet() && around_.retire) around_.retire(std::move(peer.channel));
}

void Mail::open() {
  transport::ChannelSpec spec;
  spec.binding = around_.binding;
  spec.send_bytes = spec.receive_bytes = static_cast<std::int64_t>(sizeof(PieceHead) + piece_bytes_);
  for (Peer& peer : peers_) {
    spec.peer = peer.rank;
    peer.channel = peer.worker->open(spec);
  }
}

std::vector<transport::Blob> Mail::addresses() {
  std::vector<transport::Blob> blobs;
  for (Peer& peer : peers_) blobs.push_back(peer.channel->address());
  return blobs;
}

void Mail::connect(const std::vector<transport::Blob>& peer_addresses) {
  for (std::size_t p = 0; p < peers_.size(); ++p) peers_[p].channel->connect(peer_addresses[p]);
}

void Mail::start(Letters& letters, const std::vector<bool>& with) {
  letters_ = &letters;
  if (!failure_.ok()) return;
  ++round_;
  num_open_ = 0;
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    Peer& peer = peers_[p];
    peer.takes_part = with.empty() || with[p];
    peer.has_written = peer.has_taken = !peer.takes_part;
    peer.num_written = peer.num_taken = 0;
    peer.is_heard = false;
    num_open_ += peer.takes_part ? 1U : 0U;
  }
}

Status Mail::run(Letters& letters, const std::vector<bool>& with) {
  start(letters, with);
  base::Backoff backoff(around_.wait);
  while (!is_over()) {
    if (advance()) {
      backoff.progressed();
      continue;
    }
    if (is_over()) break;
    look_for_failure();
    const auto outcome = backoff.pause();
    if (outcome == base::Backoff::Outcome::go_on || is_over()) continue;
    look_around();
    if (outcome == base::Backoff::Outcome::deadline_passed && failure_.ok()) fail_with_timeout(backoff);
  }
  return failure_;
}

bool Mail::advance() {  // data path
  for (transport::Worker* worker : workers_) worker->progress();
  bool has_moved = false;
  for (std::size_t p = 0; p < peers_.size() && failure_.ok(); ++p)
    if (peers_[p].takes_part) has_moved = advance_peer(p) || has_moved;
  return has_moved;
}

bool Mail::advance_peer(std::size_t number) {  // data path
  Peer& peer = peers_[number];
  bool has_moved = false;
  if (!peer.has_written) has_moved = write_pieces(number);
  if (!peer.has_taken) has_moved = take_pieces(number) || has_moved;
  if (!peer.has_written || !peer.has_taken || peer.channel->num_delivered() < peer.num_posted) return has_moved;
  peer.takes_part = false;
  --num_open_;
  return true;
}

bool Mail::write_pieces(std::size_t number) {  // data path
  Peer& peer = peers_[number];
  bool has_moved = false;
  while (!peer.has_written && peer.channel->may_post()) {
    std::byte* buffer = peer.channel->send_buffer();
    PieceHead head;
    head.bytes = letters_->write(number, {buffer + sizeof(PieceHead), piece_bytes_});
    peer.has_written = letters_->is_written(number);
    head.is_last = peer.has_written ? 1 : 0;
    std::memcpy(buffer, &head, sizeof(head));
    peer.channel->post(static_cast<std::int64_t>(sizeof(head) + head.bytes), tag_of(++peer.num_written));
    ++peer.num_posted;
    has_moved = true;
  }
  return has_moved;
}

bool Mail::take_pieces(std::size_t number) {  // data path
  Peer& peer = peers_[number];
  bool has_moved = false;
  while (!peer.has_taken) {
    const auto incoming = peer.channel->receive();
    if (!incoming) return has_moved;
    peer.is_heard = true;
    PieceHead head;
    std::memcpy(&head, incoming->data, sizeof(head));
    if (incoming->tag != tag_of(peer.num_taken + 1) || head.bytes > piece_bytes_) {
      fail_with_wrong_piece(peer, incoming->tag);
      return true;
    }
    if (!letters_->take(number, {incoming->data + sizeof(head), head.bytes})) return has_moved;
    ++peer.num_taken;
    peer.has_taken = head.is_last != 0;
    peer.channel->release();
    has_moved = true;
  }
  return has_moved;
}

void Mail::look_for_failure() {  // data path
  for (const Peer& peer : peers_) {
    if (!peer.takes_part) continue;
    const StatusCode code = peer.channel->failure();
    if (code == StatusCode::ok) continue;
    return give_up({code, fmt::format("{}: {}", what_, peer.channel->failure_text())}, peer.rank);
  }
}

void Mail::look_around() {
  for (std::size_t p = 0; p < peers_.size() && failure_.ok(); ++p) {
    if (!peers_[p].takes_part) continue;
    const auto loss = peers_[p].worker->loss_of(peers_[p].rank);
    if (!loss) continue;
    advance();  // its last piece may have come in between
    if (failure_.ok() && peers_[p].takes_part)
      give_up({StatusCode::peer_failed, fmt::format("{}; {}", progress_text(peers_[p]), *loss)}, peers_[p].rank);
  }
}

std::string Mail::progress_text(const Peer& peer) const {
  const auto expected = std::count_if(peers_.begin(), peers_.end(), [](const Peer& p) { return p.num_written > 0; });
  const auto heard = std::count_if(peers_.begin(), peers_.end(), [](const Peer& p) { return p.is_heard; });
  return fmt::format("{} {}: waits for rank {}{}, {} of {} neighbors heard, path {} ({})", what_, round_, peer.rank,
                     peer.is_heard ? " to take this rank's letter" : "", heard, expected, name_of(peer.choice.path),
                     peer.channel->form());
}

void Mail::fail_with_timeout(const base::Backoff& backoff) {
  // Who is silent keeps the others waiting: letters that came are taken when all have been heard.
  auto pending = std::find_if(peers_.begin(), peers_.end(), [](const Peer& p) { return p.takes_part && !p.is_heard; });
  if (pending == peers_.end())
    pending = std::find_if(peers_.begin(), peers_.end(), [](const Peer& p) { return p.takes_part; });
  if (pending == peers_.end()) return;
  give_up({StatusCode::timeout,
           fmt::format(
               "{}, last progress {:.1f} s ago; the deadline of {} s passed (HALYARD_DEADLINE, Options::deadline_s); "
               "all ranks must call the same functions in the same order",
               progress_text(*pending), backoff.seconds_since_progress(), around_.wait.deadline_s)},
          pending->rank);
}

void Mail::fail_with_wrong_piece(const Peer& peer, std::uint64_t tag) {
  give_up({StatusCode::disagreement,
           fmt::format("{} {}: expected piece {} of this round from rank {}, and piece {} of round {} came; all ranks "
                       "must call the same functions in the same order, and no message may be lost",
                       what_, round_, peer.num_taken + 1, peer.rank, tag & 0xffffffU, tag >> 32)},
          peer.rank);
}

void Mail::give_up(Status why, int culprit) {
  if (!failure_.ok()) return;
  failure_ = std::move(why);
  for (const Peer& peer : peers_)
    if (peer.channel != nullptr) peer.channel->give_up(culprit);
}

}  // namespace halyard::particles
