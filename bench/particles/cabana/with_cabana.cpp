// Way "cabana": what a user of Cabana writes who cares for speed. One AoSoA; the plans of Halo and Distributor made
// anew in place, which saves a communicator each time; Gather and its buffers kept; ranks that are neighbors named, so
// that nobody is searched; particles that stay are not handed to the Distributor. What Cabana has no word for is done
// here as its users do: who becomes a ghost where, the periodic shift (after each gather), and filling the holes.
// Twin of absent.cpp. The steering of Kokkos' Serial space is in the order of the list, which the shifts rely on.
#include <Cabana_Core.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "particles/neighborhood.hpp"
#include "particles/way.hpp"

namespace halyard::bench {
namespace {

using Space = Kokkos::HostSpace;
static_assert(std::is_same_v<Space::execution_space, Kokkos::Serial>, "the order of the steering is Serial's");

using Store = Cabana::AoSoA<Cabana::MemberTypes<double[3], double[3], std::int64_t>, Space>;
using Positions = Store::member_slice_type<0>;
using Halo = Cabana::Halo<Space>;
using Distributor = Cabana::Distributor<Space>;
using Gather = Cabana::Gather<Halo, Positions>;
using Numbers = Kokkos::View<int*, Space>;

// Kokkos starts once in a process and ends with it.
void start_kokkos() { static const Kokkos::ScopeGuard guard; }

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

class WithCabana final : public Way {
 public:
  WithCabana(MPI_Comm comm, const System& system)
      : comm_(comm),
        rank_(rank_in(comm)),
        neighborhood_(system, rank_),
        shifts_(neighborhood_.shifts_by_image()),
        particles_("particles"),
        library_("Cabana " + Cabana::version() + " (Kokkos " + std::to_string(KOKKOS_VERSION) + ", Serial)") {
    for (std::size_t d = 0; d < Neighborhood::kDirections; ++d)
      if (d != Neighborhood::kHere) neighbors_.insert(neighborhood_.rank_of(d));
    fill(system.mine);
  }

  std::string_view name() const override { return "cabana"; }
  std::string_view library() const override { return library_; }

  Holding holding() override {
    const auto x = Cabana::slice<0>(particles_);
    const auto v = Cabana::slice<1>(particles_);
    const auto id = Cabana::slice<2>(particles_);
    copy_.x.resize(3 * x.size());
    copy_.v.resize(3 * x.size());
    copy_.id.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) copy_.x[3 * i + a] = x(i, a);
      for (std::size_t a = 0; a < 3; ++a) copy_.v[3 * i + a] = v(i, a);
      copy_.id[i] = id(i);
    }
    return {copy_.x.data(), copy_.v.data(), copy_.id.data(), static_cast<std::int64_t>(num_owned_),
            static_cast<std::int64_t>(x.size() - num_owned_)};
  }
  void put_back() override {
    const auto x = Cabana::slice<0>(particles_);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a) x(i, a) = copy_.x[3 * i + a];
  }

  void refresh() override {
    gather_->apply();
    const auto x = Cabana::slice<0>(particles_);
    const auto images = ghost_images_;
    const auto& shifts = shifts_;
    const std::size_t first = num_owned_;
    Kokkos::parallel_for("shift", Kokkos::RangePolicy<Kokkos::Serial>(first, x.size()), [&](std::size_t i) {
      const Point3& shift = shifts[static_cast<std::size_t>(images(i - first))];
      for (std::size_t a = 0; a < 3; ++a) x(i, a) += shift[a];
    });
  }

  void borders() override {
    particles_.resize(num_owned_);
    list();
    const auto listed = Kokkos::make_pair(std::size_t{0}, num_listed_);
    const std::vector<int> neighbors(neighbors_.begin(), neighbors_.end());
    const auto ids = Kokkos::subview(ids_, listed);
    const auto ranks = Kokkos::subview(ranks_, listed);
    if (halo_)
      halo_->build(num_owned_, ids, ranks, neighbors);
    else
      halo_.emplace(comm_, num_owned_, ids, ranks, neighbors);
    make_room(num_owned_ + halo_->numGhost());
    particles_.resize(num_owned_ + halo_->numGhost());
    if (gather_)
      gather_->reserve(*halo_, Cabana::slice<0>(particles_));
    else
      gather_.emplace(*halo_, Cabana::slice<0>(particles_), kSlack);
    exchange_images();
    refresh();
  }

  void migrate() override {
    particles_.resize(num_owned_);
    look_who_leaves();
    const auto to = Kokkos::subview(to_, Kokkos::make_pair(std::size_t{0}, num_owned_));
    std::vector<int> others(neighbors_.begin(), neighbors_.end());
    std::erase(others, rank_);
    if (distributor_)
      distributor_->createExportSteering(distributor_->createWithTopology(Cabana::Export(), to, others), to);
    else
      distributor_.emplace(comm_, to, others);
    arrivals_.resize(distributor_->totalNumImport());
    Cabana::migrate(*distributor_, particles_, arrivals_);
    settle();
  }

 private:
  static constexpr double kSlack = 1.5;

  void fill(const std::vector<Particle>& mine) {
    num_owned_ = mine.size();
    make_room(num_owned_);
    particles_.resize(num_owned_);
    const auto x = Cabana::slice<0>(particles_);
    const auto v = Cabana::slice<1>(particles_);
    const auto id = Cabana::slice<2>(particles_);
    for (std::size_t i = 0; i < num_owned_; ++i) {
      for (std::size_t a = 0; a < 3; ++a) x(i, a) = mine[i].position[a];
      for (std::size_t a = 0; a < 3; ++a) v(i, a) = mine[i].velocity[a];
      id(i) = mine[i].id;
    }
  }

  void make_room(std::size_t count) {
    if (count <= particles_.capacity() && to_.size() >= count) return;
    particles_.reserve(static_cast<std::size_t>(kSlack * static_cast<double>(count)));
    Kokkos::realloc(Kokkos::WithoutInitializing, to_, particles_.capacity());
  }

  void list() {
    num_listed_ = 0;
    const auto x = Cabana::slice<0>(particles_);
    for (std::size_t i = 0; i < num_owned_; ++i) {
      const double at[3] = {x(i, 0), x(i, 1), x(i, 2)};
      if (num_listed_ + Neighborhood::kDirections > ids_.size()) make_lists_longer();
      neighborhood_.for_each_direction(at, [&](std::size_t d) {
        ids_(num_listed_) = static_cast<int>(i);
        ranks_(num_listed_) = neighborhood_.rank_of(d);
        images_(num_listed_++) = static_cast<int>(neighborhood_.image(d));
      });
    }
  }

  void make_lists_longer() {
    for (Numbers* numbers : {&ids_, &ranks_, &images_})
      Kokkos::resize(Kokkos::WithoutInitializing, *numbers, 2 * numbers->size() + 1024);
  }

  // Tells each neighbor by which shifts its ghosts are moved, in the order in which they are sent.
  void exchange_images() {
    const int num = halo_->numNeighbor();
    std::vector<std::size_t> ends(static_cast<std::size_t>(num));
    std::size_t end = 0;
    for (int n = 0; n < num; end += halo_->numExport(n++)) ends[static_cast<std::size_t>(n)] = end;
    if (images_out_.size() < images_.size()) images_out_.resize(images_.size());
    for (std::size_t i = 0; i < num_listed_; ++i)
      for (std::size_t n = 0; n < ends.size(); ++n)
        if (halo_->neighborRank(static_cast<int>(n)) == ranks_(i)) images_out_[ends[n]++] = images_(i);
    if (ghost_images_.size() < halo_->numGhost())
      Kokkos::realloc(Kokkos::WithoutInitializing, ghost_images_, 2 * halo_->numGhost());
    send_images(num);
  }

  void send_images(int num) {
    constexpr int kTag = 77;
    std::vector<MPI_Request> requests;
    int* in = ghost_images_.data();
    const int* out = images_out_.data();
    for (int n = 0; n < num; ++n) {
      const auto num_in = static_cast<int>(halo_->numImport(n));
      const auto num_out = static_cast<int>(halo_->numExport(n));
      if (halo_->neighborRank(n) == rank_) {
        std::copy_n(out, num_out, in);
      } else {
        MPI_Irecv(in, num_in, MPI_INT, halo_->neighborRank(n), kTag, comm_, &requests.emplace_back());
        MPI_Isend(out, num_out, MPI_INT, halo_->neighborRank(n), kTag, comm_, &requests.emplace_back());
      }
      in += num_in;
      out += num_out;
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  void look_who_leaves() {
    holes_.clear();
    const auto x = Cabana::slice<0>(particles_);
    for (std::size_t i = 0; i < num_owned_; ++i) {
      double at[3] = {x(i, 0), x(i, 1), x(i, 2)};
      to_(i) = -1;
      if (neighborhood_.is_home(at)) continue;
      const int to = neighborhood_.wrap(at);
      for (std::size_t a = 0; a < 3; ++a) x(i, a) = at[a];
      if (to == rank_) continue;
      to_(i) = to;
      holes_.push_back(i);
    }
  }

  // Arrivals go into the holes and then behind; holes that are left are filled with the last particles.
  void settle() {
    const std::size_t num_in = arrivals_.size();
    const std::size_t num_filled = std::min(num_in, holes_.size());
    for (std::size_t n = 0; n < num_filled; ++n) particles_.setTuple(holes_[n], arrivals_.getTuple(n));
    for (std::size_t n = holes_.size(); n-- > num_filled;)
      if (holes_[n] != --num_owned_) particles_.setTuple(holes_[n], particles_.getTuple(num_owned_));
    make_room(num_owned_ + num_in - num_filled);
    particles_.resize(num_owned_ + num_in - num_filled);
    for (std::size_t n = num_filled; n < num_in; ++n) particles_.setTuple(num_owned_++, arrivals_.getTuple(n));
  }

  struct Copy {
    std::vector<double> x;
    std::vector<double> v;
    std::vector<std::int64_t> id;
  };

  MPI_Comm comm_;
  int rank_;
  Neighborhood neighborhood_;
  std::array<Point3, Neighborhood::kDirections> shifts_;
  std::set<int> neighbors_;
  Store particles_;
  Store arrivals_{"arrivals"};
  std::string library_;
  std::size_t num_owned_ = 0;
  std::size_t num_listed_ = 0;
  Numbers ids_{"ids", 0};  // of particles that become ghosts, as often as they do
  Numbers ranks_{"ranks", 0};
  Numbers images_{"images", 0};  // by their numbers
  Numbers ghost_images_{"ghost images", 0};
  Numbers to_{"to", 0};  // of every particle; -1 stays
  std::vector<int> images_out_;
  std::vector<std::size_t> holes_;
  std::optional<Halo> halo_;
  std::optional<Gather> gather_;
  std::optional<Distributor> distributor_;
  Copy copy_;
};

}  // namespace

std::unique_ptr<Way> make_with_cabana(MPI_Comm comm, const System& system) {
  start_kokkos();
  return std::make_unique<WithCabana>(comm, system);
}

}  // namespace halyard::bench
