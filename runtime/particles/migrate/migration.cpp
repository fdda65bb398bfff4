// See migration.hpp. Each piece of a letter begins with the number of records in the whole letter, and their size.
#include "particles/migrate/migration.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halyard::particles {
namespace {

struct PieceHead {
  std::int64_t num_records = 0;  // in the letter
  std::uint64_t has_origin = 0;
};
constexpr std::size_t kHead = sizeof(PieceHead);

}  // namespace

Migration::Migration(Particles& particles, const Roles& roles, const std::vector<int>& ranks, int rank, int num_ranks)
    : particles_(particles),
      roles_(roles),
      rank_(rank),
      number_of_rank_(static_cast<std::size_t>(num_ranks), -1),
      letters_(ranks.size()) {
  for (std::size_t p = 0; p < ranks.size(); ++p) {
    number_of_rank_[static_cast<std::size_t>(ranks[p])] = static_cast<std::int32_t>(p);
    letters_[p].rank = ranks[p];
  }
}

void Migration::begin(bool has_origins) {
  has_origins_ = has_origins;
  trouble_ = {};
  has_room_ = true;
  num_heard_ = 0;
  num_placed_ = num_arrived_ = 0;
  for (Letter& letter : letters_) {
    letter.leaving.numbers.clear();
    letter.leaving.rows.clear();
    letter.num_written = 0;
    letter.has_begun = false;
    letter.num_announced = -1;
    letter.num_taken = 0;
  }
  far_.clear();
  origins_.clear();
  if (has_origins_)
    for (std::int64_t i = 0; i < particles_.num_owned; ++i) origins_.push_back({rank_, i});
  sort_leavers();
  stage_leavers();
  if (letters_.empty()) set_places();
}

void Migration::stage_leavers() {
  staged_.numbers.clear();
  staged_.rows.clear();
  for (Letter& letter : letters_) {
    letter.first_staged = staged_.numbers.size();
    stage(letter.leaving);
  }
  first_far_staged_ = staged_.numbers.size();
  for (const auto& [rank, leaving] : far_) stage(leaving);
  mover_->stage(staged_.numbers, staged_.rows);
}

void Migration::stage(const Leaving& leaving) {
  staged_.numbers.insert(staged_.numbers.end(), leaving.numbers.begin(), leaving.numbers.end());
  staged_.rows.insert(staged_.rows.end(), leaving.rows.begin(), leaving.rows.end());
}

void Migration::finish_moving() {
  const Status status = mover_->finish();
  if (trouble_.ok()) trouble_ = status;
}

void Migration::sort_leavers() {
  num_near_left_ = num_far_left_ = 0;
  for (std::size_t i = 0; i < departures_.leavers.size(); ++i) {
    const int to = departures_.ranks[i];
    const std::int32_t number = number_of_rank_[static_cast<std::size_t>(to)];
    Leaving& leaving = number >= 0 ? letters_[static_cast<std::size_t>(number)].leaving : far_[to];
    leaving.numbers.push_back(departures_.leavers[i]);
    if (!departures_.rows.empty()) leaving.rows.push_back(departures_.rows[i]);
    ++(number >= 0 ? num_near_left_ : num_far_left_);
  }
}

std::size_t Migration::write(std::size_t peer, std::span<std::byte> piece) {  // data path
  Letter& letter = letters_[peer];
  letter.has_begun = true;
  const PieceHead head{static_cast<std::int64_t>(letter.leaving.numbers.size()), has_origins_ ? 1U : 0U};
  std::memcpy(piece.data(), &head, kHead);
  const std::size_t record = shape().bytes();
  const std::size_t count =
      std::min((piece.size() - kHead) / record, letter.leaving.numbers.size() - letter.num_written);
  mover_->pack(shape(), std::span(letter.leaving.numbers).subspan(letter.num_written, count),
               letter.first_staged + letter.num_written, piece.data() + kHead);
  letter.num_written += count;
  return kHead + count * record;
}

bool Migration::is_written(std::size_t peer) {  // data path
  return letters_[peer].has_begun && letters_[peer].num_written == letters_[peer].leaving.numbers.size();
}

// Nothing is placed before all letters have been heard of: only then is it known how much room is needed, and where
// each letter's records go, whichever comes first.
bool Migration::take(std::size_t peer, std::span<const std::byte> piece) {  // data path
  Letter& letter = letters_[peer];
  PieceHead head;
  std::memcpy(&head, piece.data(), kHead);
  if (letter.num_announced < 0) {
    letter.num_announced = head.num_records;
    if ((head.has_origin != 0) != has_origins_) refuse_origins(letter.rank);
    if (++num_heard_ == letters_.size()) set_places();
  }
  if (num_heard_ < letters_.size()) return false;
  const RecordShape sent{particles_, roles_, head.has_origin != 0};
  Batch batch{letter.rank, static_cast<std::int64_t>((piece.size() - kHead) / sent.bytes()), sent.has_origin, {}};
  const std::int64_t count = batch.count;
  if (has_room_) {
    place(letter.rank, count, piece.data() + kHead, letter.first + letter.num_taken);
  } else if (count > 0) {
    batch.bytes.assign(piece.begin() + kHead, piece.end());
    kept_.push_back(std::move(batch));
  }
  letter.num_taken += count;
  return true;
}

void Migration::refuse_origins(int rank) {
  has_room_ = false;
  trouble_ = {StatusCode::disagreement,
              fmt::format("migrate: this rank asks for origins and rank {} does not, or the other way round; give the "
                          "same MigrateOptions::wants_origins on all ranks",
                          rank)};
}

void Migration::make_room_for(std::int64_t count) {
  const std::int64_t needed = particles_.num_owned + num_placed_ + count;
  try {
    if (needed > particles_.capacity) mover_->come_to_rest().or_throw();
    make_room(particles_, needed);
  } catch (const Error& error) {
    trouble_ = error.status();
  } catch (const std::exception& error) {
    trouble_ = {StatusCode::out_of_resources, std::string("make room for particles: Particles::grow: ") + error.what()};
  }
  has_room_ = trouble_.ok();
}

void Migration::set_places() {
  std::int64_t num_coming = 0;
  for (const Letter& letter : letters_) num_coming += letter.num_announced;
  if (has_room_) make_room_for(num_coming + num_kept());
  if (!has_room_) return;
  mover_->expect(particles_.num_owned, num_coming);
  std::int64_t next = particles_.num_owned;
  for (Letter& letter : letters_) {
    letter.first = next;
    next += letter.num_announced;
  }
  num_placed_ = num_arrived_ = num_coming;
  if (has_origins_) origins_.resize(static_cast<std::size_t>(next));
}

void Migration::place_kept() {
  num_placed_ = 0;
  if (kept_.empty()) return;
  trouble_ = {};
  make_room_for(num_kept());
  if (!has_room_) return;  // set_places() will say so
  mover_->expect(particles_.num_owned, num_kept());
  for (const Batch& batch : kept_) {
    place_batch(batch, particles_.num_owned);
    particles_.num_owned += batch.count;
  }
  kept_.clear();
  mover_->finish().or_throw();
}

std::int64_t Migration::num_kept() const {
  std::int64_t count = 0;
  for (const Batch& batch : kept_) count += batch.count;
  return count;
}

void Migration::place(int rank, std::int64_t count, const std::byte* bytes, std::int64_t first) {  // data path
  if (has_origins_) origin_numbers_.resize(static_cast<std::size_t>(count));
  mover_->place(shape(), bytes, count, first, origin_numbers_.data());
  if (!has_origins_) return;
  if (origins_.size() < static_cast<std::size_t>(first + count))
    origins_.resize(static_cast<std::size_t>(first + count));
  for (std::int64_t i = 0; i < count; ++i)
    origins_[static_cast<std::size_t>(first + i)] = {rank, origin_numbers_[static_cast<std::size_t>(i)]};
}

// A batch may have been packed under other wishes for origins than those of now.
void Migration::place_batch(const Batch& batch, std::int64_t first) {
  const bool wants_origins = std::exchange(has_origins_, batch.has_origin);
  place(batch.rank, batch.count, batch.bytes.data(), first);
  has_origins_ = wants_origins;
}

std::vector<Batch> Migration::far_batches() const {
  std::vector<Batch> batches;
  std::size_t first = first_far_staged_;
  for (const auto& [rank, leaving] : far_) {
    const std::size_t count = leaving.numbers.size();
    batches.push_back({rank, static_cast<std::int64_t>(count), has_origins_, {}});
    batches.back().bytes.resize(count * shape().bytes());
    mover_->pack(shape(), leaving.numbers, first, batches.back().bytes.data());
    first += count;
  }
  return batches;
}

void Migration::settle(MigrateOrder order) {
  const std::int64_t total = particles_.num_owned + num_placed_;
  plan_moves(order, departures_.leavers, total, moves_);
  mover_->move(moves_, particles_, roles_);
  finish_moving();
  particles_.num_owned = total - static_cast<std::int64_t>(departures_.leavers.size());
  num_placed_ = 0;
  if (!has_origins_) return;
  origins_.resize(static_cast<std::size_t>(total));
  run_moves(moves_, origins_);
  origins_.resize(static_cast<std::size_t>(particles_.num_owned));
}

void Migration::place_far(std::vector<Batch> batches) {
  std::int64_t count = 0;
  for (const Batch& batch : batches) count += batch.count;
  make_room_for(count);
  if (has_room_) mover_->expect(particles_.num_owned, count);
  for (Batch& batch : batches) {
    if (!has_room_) {
      kept_.push_back(std::move(batch));
      continue;
    }
    place_batch(batch, particles_.num_owned);
    particles_.num_owned += batch.count;
    num_arrived_ += batch.count;
  }
  finish_moving();
}

}  // namespace halyard::particles
