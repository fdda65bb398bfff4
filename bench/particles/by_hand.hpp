// Way "mpi": what a careful MPI programmer writes. One packed message per peer rank, received straight into the ghosts;
// own periodic images copied; shifts added while packing; counts first where they are not known; one pass over the
// particles to list borders. Parts reach one step far, as in most codes. Way "mpi-26": the same with one message per
// direction, own images by messages too, as many codes have it.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include "particles/neighborhood.hpp"
#include "particles/way.hpp"

namespace halyard::bench {

/// What this rank sends to a peer at each refresh, and where that lands.
struct GhostMessage {
  int rank = 0;
  bool is_copied = false;  // to this rank's own ghosts
  std::vector<int> numbers;
  std::vector<Point3> shifts;  // of each
  std::int64_t first_ghost = 0;
  int num_in = 0;
};

class ByHand final : public Way {
  static constexpr int kCountTag = 100;
  static constexpr int kDataTag = 200;

  // Particles that become ghosts in one direction.
  using List = std::vector<int>;

  struct Peer {
    int rank = 0;
    std::vector<std::size_t> directions;
    std::vector<int> counts_out;
    std::vector<int> counts_in;
    std::vector<double> out;
    std::int64_t first_ghost = 0;
    int num_in = 0;
    int tag_out = 0;
    int tag_in = 0;
  };

  struct Record {
    double x[3];
    double v[3];
    std::int64_t id;
  };

 public:
  ByHand(MPI_Comm comm, const System& system, Messages messages)
      : comm_(comm), rank_(rank_in(comm)), neighborhood_(system, rank_), messages_(messages) {
    make_peers();
    for (const Particle& particle : system.mine)
      append({{particle.position[0], particle.position[1], particle.position[2]},
              {particle.velocity[0], particle.velocity[1], particle.velocity[2]},
              particle.id});
  }

  std::string_view name() const override { return messages_ == Messages::per_peer ? "mpi" : "mpi-26"; }
  Holding holding() override { return {x_.data(), v_.data(), id_.data(), num_owned_, num_ghosts_}; }

  void refresh() override {
    std::size_t n = 0;
    for (Peer& peer : peers_)
      if (!is_copied(peer))
        MPI_Irecv(&x_[3 * static_cast<std::size_t>(peer.first_ghost)], 3 * peer.num_in, MPI_DOUBLE, peer.rank,
                  kDataTag + peer.tag_in, comm_, &requests_[n++]);
    for (Peer& peer : peers_) {
      if (is_copied(peer)) continue;
      double* end = pack(peer, peer.out.data());
      MPI_Isend(peer.out.data(), static_cast<int>(end - peer.out.data()), MPI_DOUBLE, peer.rank,
                kDataTag + peer.tag_out, comm_, &requests_[n++]);
    }
    for (Peer& peer : peers_)
      if (is_copied(peer)) pack(peer, &x_[3 * static_cast<std::size_t>(peer.first_ghost)]);
    MPI_Waitall(static_cast<int>(n), requests_.data(), MPI_STATUSES_IGNORE);
  }

  void borders() override {
    list();
    std::size_t n = 0;
    for (Peer& peer : peers_) {
      for (std::size_t d = 0; d < peer.directions.size(); ++d)
        peer.counts_out[d] = static_cast<int>(lists_[peer.directions[d]].size());
      const int num = static_cast<int>(peer.directions.size());
      if (is_copied(peer)) {
        peer.counts_in = peer.counts_out;
        continue;
      }
      MPI_Irecv(peer.counts_in.data(), num, MPI_INT, peer.rank, kCountTag + peer.tag_in, comm_, &requests_[n++]);
      MPI_Isend(peer.counts_out.data(), num, MPI_INT, peer.rank, kCountTag + peer.tag_out, comm_, &requests_[n++]);
    }
    MPI_Waitall(static_cast<int>(n), requests_.data(), MPI_STATUSES_IGNORE);
    num_ghosts_ = 0;
    for (Peer& peer : peers_) {
      peer.first_ghost = num_owned_ + num_ghosts_;
      peer.num_in = sum(peer.counts_in);
      num_ghosts_ += peer.num_in;
      peer.out.resize(3 * static_cast<std::size_t>(sum(peer.counts_out)));
    }
    make_room(num_owned_ + num_ghosts_);
    refresh();
  }

  void migrate() override {
    num_ghosts_ = 0;
    for (auto& [rank, records] : leaving_) records.clear();
    for (std::int64_t i = 0; i < num_owned_;) {
      double* x = &x_[3 * static_cast<std::size_t>(i)];
      if (neighborhood_.is_home(x)) {
        ++i;
        continue;
      }
      const int to = neighborhood_.wrap(x);
      if (to == rank_) {
        ++i;
        continue;
      }
      const auto records = leaving_.find(to);
      if (records == leaving_.end()) throw std::runtime_error("the hand-written code knows neighbors only");
      records->second.push_back(record(i));
      put(i, record(--num_owned_));  // the last one fills the hole, and is looked at next
    }
    exchange_records();
  }

  /// After borders().
  std::vector<GhostMessage> messages() const {
    std::vector<GhostMessage> all;
    for (const Peer& peer : peers_) {
      GhostMessage& message = all.emplace_back();
      message.rank = peer.rank;
      message.is_copied = is_copied(peer);
      message.first_ghost = peer.first_ghost;
      message.num_in = peer.num_in;
      for (const std::size_t d : peer.directions)
        for (const int i : lists_[d]) {
          message.numbers.push_back(i);
          message.shifts.push_back(neighborhood_.shift(d));
        }
    }
    return all;
  }

 private:
  static int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
  }

  void make_peers() {
    std::map<int, std::vector<std::size_t>> by_rank;
    for (std::size_t d = 0; d < Neighborhood::kDirections; ++d) {
      if (d == Neighborhood::kHere) continue;
      const int rank = neighborhood_.rank_of(d);
      by_rank[rank].push_back(d);
      if (rank != rank_) leaving_[rank] = {};
    }
    // Both ends see the same directions, in the opposite order: the receiver's is what counts.
    for (auto& [rank, directions] : by_rank) {
      if (messages_ == Messages::per_peer) {
        add_peer(rank, {directions.rbegin(), directions.rend()}, 0, 0);
        continue;
      }
      for (const std::size_t d : directions) add_peer(rank, {d}, static_cast<int>(d), 26 - static_cast<int>(d));
    }
    requests_.resize(2 * peers_.size());
  }

  void add_peer(int rank, std::vector<std::size_t> directions, int tag_out, int tag_in) {
    Peer& peer = peers_.emplace_back();
    peer.rank = rank;
    peer.counts_out.resize(directions.size());
    peer.counts_in.resize(directions.size());
    peer.directions = std::move(directions);
    peer.tag_out = tag_out;
    peer.tag_in = tag_in;
  }

  bool is_copied(const Peer& peer) const { return peer.rank == rank_ && messages_ == Messages::per_peer; }

  static int sum(const std::vector<int>& counts) {
    int total = 0;
    for (const int count : counts) total += count;
    return total;
  }

  void list() {
    for (List& list : lists_) list.clear();
    for (std::int64_t i = 0; i < num_owned_; ++i)
      neighborhood_.for_each_direction(&x_[3 * static_cast<std::size_t>(i)],
                                       [&](std::size_t d) { lists_[d].push_back(static_cast<int>(i)); });
  }

  double* pack(const Peer& peer, double* out) const {
    for (const std::size_t d : peer.directions) {
      const Point3 shift = neighborhood_.shift(d);
      for (const int i : lists_[d]) {
        const double* x = &x_[3 * static_cast<std::size_t>(i)];
        out[0] = x[0] + shift[0];
        out[1] = x[1] + shift[1];
        out[2] = x[2] + shift[2];
        out += 3;
      }
    }
    return out;
  }

  void exchange_records() {
    std::vector<int> counts_out;
    std::vector<int> counts_in(leaving_.size());
    for (auto& [rank, records] : leaving_) counts_out.push_back(static_cast<int>(records.size()));
    std::size_t n = 0;
    std::size_t p = 0;
    for (auto& [rank, records] : leaving_) {
      MPI_Irecv(&counts_in[p], 1, MPI_INT, rank, kCountTag, comm_, &requests_[n++]);
      MPI_Isend(&counts_out[p++], 1, MPI_INT, rank, kCountTag, comm_, &requests_[n++]);
    }
    MPI_Waitall(static_cast<int>(n), requests_.data(), MPI_STATUSES_IGNORE);
    arrivals_.resize(static_cast<std::size_t>(sum(counts_in)));
    n = p = 0;
    Record* next = arrivals_.data();
    for (auto& [rank, records] : leaving_) {
      MPI_Irecv(next, counts_in[p] * static_cast<int>(sizeof(Record)), MPI_BYTE, rank, kDataTag, comm_,
                &requests_[n++]);
      next += counts_in[p++];
      MPI_Isend(records.data(), static_cast<int>(records.size() * sizeof(Record)), MPI_BYTE, rank, kDataTag, comm_,
                &requests_[n++]);
    }
    MPI_Waitall(static_cast<int>(n), requests_.data(), MPI_STATUSES_IGNORE);
    make_room(num_owned_ + static_cast<std::int64_t>(arrivals_.size()));
    for (const Record& arrival : arrivals_) put(num_owned_++, arrival);
  }

  Record record(std::int64_t i) const {
    Record r;
    std::memcpy(r.x, &x_[3 * static_cast<std::size_t>(i)], sizeof(r.x));
    std::memcpy(r.v, &v_[3 * static_cast<std::size_t>(i)], sizeof(r.v));
    r.id = id_[static_cast<std::size_t>(i)];
    return r;
  }
  void put(std::int64_t i, const Record& r) {
    std::memcpy(&x_[3 * static_cast<std::size_t>(i)], r.x, sizeof(r.x));
    std::memcpy(&v_[3 * static_cast<std::size_t>(i)], r.v, sizeof(r.v));
    id_[static_cast<std::size_t>(i)] = r.id;
  }
  void append(const Record& r) {
    make_room(num_owned_ + 1);
    put(num_owned_++, r);
  }
  void make_room(std::int64_t count) {
    const auto needed = static_cast<std::size_t>(count);
    if (needed <= id_.size()) return;
    const std::size_t capacity = needed + needed / 2;
    x_.resize(3 * capacity);
    v_.resize(3 * capacity);
    id_.resize(capacity);
  }

  MPI_Comm comm_;
  int rank_;
  Neighborhood neighborhood_;
  Messages messages_;
  std::array<List, Neighborhood::kDirections> lists_;
  std::vector<Peer> peers_;
  std::map<int, std::vector<Record>> leaving_;
  std::vector<Record> arrivals_;
  std::vector<MPI_Request> requests_;
  std::vector<double> x_;
  std::vector<double> v_;
  std::vector<std::int64_t> id_;
  std::int64_t num_owned_ = 0;
  std::int64_t num_ghosts_ = 0;
};

}  // namespace halyard::bench
