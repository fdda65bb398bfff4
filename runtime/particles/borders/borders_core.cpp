// See borders_core.hpp.
#include "particles/borders/borders_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halyard/metrics.hpp"
#include "transport/blob.hpp"

namespace halyard {

using particles::BorderTo;
using transport::Blob;
using transport::BlobReader;

namespace {

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::uint32_t kTrouble = 1;
constexpr std::uint32_t kReopens = 2;
constexpr std::uint32_t kMoved = 4;       // arrays lie somewhere else now
constexpr std::uint32_t kShowsOther = 8;  // than peers were told with the lists

const BorderOptions& checked(const BorderOptions& options) {
  if (!(options.reach > 0) || !std::isfinite(options.reach))
    throw Error(StatusCode::invalid_argument,
                fmt::format("list borders: the reach is {}; give a length above 0: cut-off plus skin", options.reach));
  return options;
}

std::vector<int> others(const std::vector<BorderTo>& to, int rank) {
  std::vector<int> ranks;
  for (const BorderTo& border : to)
    if (border.rank != rank) ranks.push_back(border.rank);
  return ranks;
}

}  // namespace

BordersCore::BordersCore(const ParticleDomain& domain, Particles& particles, const BorderOptions& options,
                         Outside outside)
    : particles_(particles),
      options_(checked(options)),
      outside_(std::move(outside)),
      roles_((outside_.check_memory(particles), particles::roles_of(particles))),
      partition_((domain.check(outside_.everyone->size()), domain)),
      lists_(partition_, rank(), options_, roles_.position),
      mail_("build borders", outside_.facts, outside_.workers, outside_.around, others(lists_.to(), rank()),
            kPieceBytes),
      letters_(mail_.num_peers()) {
  if (outside_.on_gpu != nullptr) device_lists_ = std::make_unique<particles::DeviceLists>(outside_.on_gpu, lists_);
  std::size_t peer = 0;
  for (const BorderTo& to : lists_.to()) {
    Neighbor neighbor;
    neighbor.is_self = to.rank == rank();
    if (!neighbor.is_self) neighbor.peer = peer++;
    neighbors_.push_back(std::move(neighbor));
  }
}

void BordersCore::connect() {
  std::vector<Blob> blobs;
  outside_.everyone->together("open channels of borders", [&] {
    mail_.open();
    blobs = mail_.addresses();
  });
  const auto theirs = outside_.everyone->swap(mail_.ranks(), std::move(blobs));
  outside_.everyone->together("connect channels of borders", [&] { mail_.connect(theirs); });
}

void BordersCore::check_idle() const {
  if (!outside_.around.threads.allows_this_thread())
    throw Error(StatusCode::wrong_thread,
                "build borders from another thread than the one that initialized MPI: the thread level is SINGLE or "
                "FUNNELED; ask MPI_Init_thread for SERIALIZED or MULTIPLE");
  for (GhostExchangeCore* exchange : exchanges_)
    if (!exchange->is_idle())
      throw Error(StatusCode::invalid_argument,
                  "build borders: an exchange of ghosts is still running; wait for its Transfer first");
  if (options_.after != nullptr) options_.after->core().check_idle();
}

void BordersCore::build() {
  Status trouble;
  bool has_moved = false;
  forget();
  try {
    check_idle();
    if (options_.after != nullptr && !options_.after->core().is_listed())
      throw Error(
          StatusCode::invalid_argument,
          "build borders: those that come before, BorderOptions::after, are not built for the particles as they "
          "are; build them first");
    particles_.num_ghosts = 0;
    particles::check_counts(particles_);
    list();
  } catch (const Error& error) {
    trouble = error.status();
    lists_.clear();
  }
  ++num_builds_;
  tell_lists();
  run_round();
  hear_lists();
  if (trouble.ok()) try {
      has_moved = make_room();
    } catch (const Error& error) {
      trouble = error.status();
    } catch (const std::exception& error) {
      trouble = {StatusCode::out_of_resources, std::string("build borders: Particles::grow: ") + error.what()};
    }
  link_exchanges(trouble, has_moved, device_lists_ == nullptr ? Windows::in_a_round : Windows::with_lists);
}

void BordersCore::list() {
  const TraceRange range("borders: search");
  if (device_lists_ != nullptr)
    device_lists_->list(particles_, roles_, lists_);
  else
    lists_.list(particles_, roles_);
}

void BordersCore::run_round(const std::vector<bool>& with) {
  const TraceRange range("borders: letters");
  mail_.run(letters_, with).or_throw();
}

// Peers that read this rank's arrays in place also need to know which elements.
bool BordersCore::reads_arrays(const Neighbor& neighbor) const {
  return device_lists_ == nullptr && mail_.worker(neighbor.peer).path() == Path::shared;
}

void BordersCore::tell_lists() {
  letters_.clear();
  for (std::size_t n = 0; n < neighbors_.size(); ++n) {
    if (neighbors_[n].is_self) continue;
    const BorderTo& to = lists_.to()[n];
    Blob& blob = letters_.out[neighbors_[n].peer];
    for (const std::int64_t count : to.counts) transport::append(blob, count);
    if (device_lists_ != nullptr) add_windows(n);
    if (!reads_arrays(neighbors_[n]) || to.numbers.empty()) continue;
    const auto bytes = std::as_bytes(std::span(to.numbers));
    blob.insert(blob.end(), bytes.begin(), bytes.end());
  }
}

void BordersCore::hear_lists() {
  groups_.clear();
  first_ghost_ =
      options_.after == nullptr ? particles_.num_owned : options_.after->first_ghost() + options_.after->num_ghosts();
  std::int64_t next = first_ghost_;
  for (std::size_t n = 0; n < neighbors_.size(); ++n) {
    Neighbor& neighbor = neighbors_[n];
    const auto& from = lists_.from()[n];
    const Blob* blob = neighbor.is_self ? nullptr : &letters_.in[neighbor.peer];
    const std::int64_t first = next;
    for (std::size_t g = 0; g < from.groups.size(); ++g) {
      std::int64_t count = 0;
      if (blob == nullptr)
        count = lists_.to()[n].counts[g];
      else
        std::memcpy(&count, blob->data() + g * sizeof(count), sizeof(count));
      groups_.push_back({from.rank, from.groups[g].shift, next, count});
      next += count;
    }
    neighbor.listing = {num_builds_, &lists_.to()[n], nullptr, from.groups.size(), next - first, first, nullptr, 0};
    if (blob == nullptr || !reads_arrays(neighbor)) continue;
    neighbor.their_numbers.resize(static_cast<std::size_t>(next - first));
    if (next > first)
      std::memcpy(neighbor.their_numbers.data(), blob->data() + from.groups.size() * sizeof(std::int64_t),
                  neighbor.their_numbers.size() * sizeof(std::int32_t));
    neighbor.listing.their_numbers = neighbor.their_numbers.data();
  }
  num_ghosts_ = next - first_ghost_;
  const GhostGroup* group = groups_.data();
  for (Neighbor& neighbor : neighbors_) {
    neighbor.listing.groups = group;
    group += neighbor.listing.num_groups;
  }
}

// True when the arrays had to grow, and lie somewhere else now.
bool BordersCore::make_room() {
  particles_.num_ghosts = first_ghost_ - particles_.num_owned;  // what grow() must keep
  const bool must_grow = first_ghost_ + num_ghosts_ > particles_.capacity;
  particles::make_room(particles_, first_ghost_ + num_ghosts_);
  if (must_grow) outside_.check_memory(particles_);
  particles_.num_ghosts += num_ghosts_;
  return must_grow;
}

void BordersCore::add(GhostExchangeCore& exchange) {
  exchanges_.push_back(&exchange);
  if (!is_built_) return;
  Status trouble;
  try {
    check_idle();
  } catch (const Error& error) {
    trouble = error.status();
  }
  try {
    link_exchanges(trouble, false, Windows::in_a_round);
  } catch (...) {
    remove(exchange);
    throw;
  }
}

void BordersCore::remove(GhostExchangeCore& exchange) { std::erase(exchanges_, &exchange); }

void BordersCore::link_exchanges(Status trouble, bool has_moved, Windows windows) {
  is_built_ = false;
  bool shows_other = false;
  try {
    if (trouble.ok()) shows_other = make_exchanges_room();
  } catch (const Error& error) {
    trouble = error.status();
  }
  if (windows == Windows::in_a_round) tell_windows();
  std::uint32_t bits = (has_moved ? kMoved : 0) | (shows_other && windows == Windows::with_lists ? kShowsOther : 0);
  bits = link_and_agree(trouble, bits, windows);
  if ((bits & kShowsOther) != 0) {
    tell_windows();
    bits = link_and_agree(trouble, bits & ~kShowsOther, Windows::in_a_round);
  }
  if ((bits & kReopens) != 0) open_channels();
  for (GhostExchangeCore* exchange : exchanges_) {
    exchange->begin_listing();
    for (std::size_t n = 0; n < neighbors_.size(); ++n) exchange->relist(n, neighbors_[n].listing);
    exchange->end_listing();
  }
  num_owned_ = particles_.num_owned;
  num_migrations_ = particles_.num_migrations;
  is_built_ = true;
  if ((bits & kMoved) != 0 && options_.after != nullptr)
    options_.after->core().link_exchanges({}, true, Windows::in_a_round);
}

// Answers the bits of all ranks. Throws the same Error on all when one had trouble.
std::uint32_t BordersCore::link_and_agree(Status& trouble, std::uint32_t bits, Windows windows) {
  try {
    if (trouble.ok()) bits |= hear_windows(windows);
  } catch (const Error& error) {
    trouble = error.status();
  }
  bits = agree(bits | (trouble.ok() ? 0 : kTrouble));
  if ((bits & kTrouble) != 0) {
    forget();
    outside_.everyone->together("build borders", [&] { trouble.or_throw(); });
  }
  return bits;
}

std::uint32_t BordersCore::agree(std::uint32_t bits) {
  const TraceRange range("borders: agree");
  return outside_.everyone->any(bits);
}

// True when some exchange shows peers something else now.
bool BordersCore::make_exchanges_room() {
  const TraceRange range("borders: room");
  std::vector<const particles::Listing*> listings;
  for (const Neighbor& neighbor : neighbors_) listings.push_back(&neighbor.listing);
  bool shows_other = false;
  for (GhostExchangeCore* exchange : exchanges_) shows_other = exchange->make_room(listings) || shows_other;
  return shows_other;
}

void BordersCore::add_windows(std::size_t neighbor) {
  Blob& blob = letters_.out[neighbors_[neighbor].peer];
  transport::append(blob, neighbors_[neighbor].listing.first);  // only arrays in host memory are written there
  for (const GhostExchangeCore* exchange : exchanges_) transport::append_bytes(blob, exchange->window(neighbor));
}

void BordersCore::tell_windows() {
  letters_.clear();
  for (std::size_t n = 0; n < neighbors_.size(); ++n)
    if (!neighbors_[n].is_self) add_windows(n);
  run_round();
}

std::uint32_t BordersCore::hear_windows(Windows windows) {
  const TraceRange range("borders: tables");
  std::uint32_t bits = 0;
  reopens_.assign(neighbors_.size(), std::vector<bool>(exchanges_.size(), false));
  for (std::size_t n = 0; n < neighbors_.size(); ++n) {
    Neighbor& neighbor = neighbors_[n];
    if (neighbor.is_self) continue;
    const std::size_t counts = neighbor.listing.num_groups * sizeof(std::int64_t);
    BlobReader reader(std::span(letters_.in[neighbor.peer]).subspan(windows == Windows::with_lists ? counts : 0));
    neighbor.listing.their_first = reader.read<std::int64_t>();
    for (std::size_t e = 0; e < exchanges_.size(); ++e) {
      reopens_[n][e] = exchanges_[e]->prepare(n, neighbor.listing, reader.read_bytes());
      if (reopens_[n][e]) bits |= kReopens;
    }
  }
  for (GhostExchangeCore* exchange : exchanges_) exchange->finish_preparing();
  if (outside_.on_gpu != nullptr) outside_.on_gpu->synchronize();
  return bits;
}

void BordersCore::open_channels() {
  letters_.clear();
  for (std::size_t n = 0; n < neighbors_.size(); ++n)
    for (std::size_t e = 0; e < exchanges_.size(); ++e)
      if (reopens_[n][e]) exchanges_[e]->drop(n);
  outside_.everyone->together("open channels of ghosts", [&] {
    for (std::size_t n = 0; n < neighbors_.size(); ++n)
      for (std::size_t e = 0; e < exchanges_.size(); ++e)
        if (reopens_[n][e]) transport::append_bytes(letters_.out[neighbors_[n].peer], exchanges_[e]->open(n));
  });
  std::vector<bool> with(mail_.num_peers(), false);
  for (std::size_t n = 0; n < neighbors_.size(); ++n)
    if (!neighbors_[n].is_self)
      with[neighbors_[n].peer] = std::find(reopens_[n].begin(), reopens_[n].end(), true) != reopens_[n].end();
  run_round(with);
  outside_.everyone->together("connect channels of ghosts", [&] { connect_channels(); });
}

void BordersCore::connect_channels() {
  for (std::size_t n = 0; n < neighbors_.size(); ++n) {
    if (neighbors_[n].is_self) continue;
    BlobReader reader(letters_.in[neighbors_[n].peer]);
    for (std::size_t e = 0; e < exchanges_.size(); ++e)
      if (reopens_[n][e]) exchanges_[e]->connect(n, reader.read_bytes());
  }
}

void BordersCore::require_reach(double needed, std::string_view what) const {
  if (needed <= options_.reach) return;
  throw Error(
      StatusCode::invalid_argument,
      fmt::format("{} of length {} do not fit into borders with a reach of {}: their partners need not be among "
                  "the ghosts; make Borders with a reach of at least {}",
                  what, needed, options_.reach, needed));
}

void BordersCore::forget() {
  is_built_ = false;
  groups_.clear();
  num_ghosts_ = 0;
}

}  // namespace halyard
