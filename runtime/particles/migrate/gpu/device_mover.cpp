// See device_mover.hpp.
#include "particles/migrate/gpu/device_mover.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace halyard::particles {

using pack::device::in_array;
using pack::device::in_message;

namespace {

// Sections of staged memory are aligned for any unit.
std::size_t section_bytes(const ParticleArray& array, std::int64_t count) {
  return (array.element.bytes() * static_cast<std::size_t>(count) + 15) / 16 * 16;
}

std::size_t bytes_of_sections(const Particles& particles, const Roles& roles, std::int64_t count) {
  std::size_t bytes = 0;
  for (const std::size_t a : roles.migrating) bytes += section_bytes(particles.arrays[a], count);
  return bytes;
}

}  // namespace

// Nothing is thrown while letters are on their way: finish() says it.
template <class Step>
void DeviceMover::attempt(const Step& step) {
  if (!failure_.ok()) return;
  try {
    step();
  } catch (const Error& error) {
    failure_ = error.status();
  }
}

// ---- copies ---------------------------------------------------------------------------------------------------------

void DeviceMover::add(std::size_t number, const pack::device::ElementsAt& source,
                      const pack::device::ElementsAt& target, std::int64_t count) {
  const auto array = device::element_array(particles_, roles_, number);
  runs_.push_back(pack::device::numbered_run(array, source, target, count, 16));
}

void DeviceMover::copy_added() {
  pack::device::copy_numbered(*on_gpu_->around.device, on_gpu_->ordinal, runs_, {}).or_throw();
  runs_.clear();
}

// ---- leavers --------------------------------------------------------------------------------------------------------

void DeviceMover::stage(std::span<const std::int32_t> leavers, std::span<const std::int32_t> rows) {
  attempt([&] {
    rows_.assign(rows.begin(), rows.end());
    if (leavers.empty() || !rows.empty()) return;
    rows_.resize(leavers.size());
    std::iota(rows_.begin(), rows_.end(), 0);
    std::byte* numbers = leavers_.fit(on_gpu_->around.device, on_gpu_->ordinal, leavers.size_bytes());
    std::memcpy(numbers, leavers.data(), leavers.size_bytes());
    records_->take(particles_, roles_, roles_.migrating, static_cast<std::int64_t>(leavers.size()),
                   reinterpret_cast<const std::int32_t*>(numbers));
  });
}

void DeviceMover::pack(const RecordShape& shape, std::span<const std::int32_t> numbers, std::size_t first,
                       std::byte* batch) {  // data path
  const bool has_records = failure_.ok() && !numbers.empty();
  std::byte* to = batch;
  for (std::size_t m = 0; m < roles_.migrating.size() && has_records; ++m) {
    const ParticleArray& array = records_->records().arrays[roles_.migrating[m]];
    const std::size_t bytes = array.element.bytes();
    const auto* staged = static_cast<const std::byte*>(array.data);
    for (std::size_t i = 0; i < numbers.size(); ++i, to += bytes)
      std::memcpy(to, staged + static_cast<std::size_t>(rows_[first + i]) * bytes, bytes);
  }
  if (shape.has_origin) pack_origins(numbers, batch + static_cast<std::size_t>(roles_.record_bytes) * numbers.size());
}

// ---- arrivals -------------------------------------------------------------------------------------------------------

Status DeviceMover::come_to_rest() { return on_gpu_->around.device->synchronize({}, on_gpu_->ordinal); }

// What came before has been placed: finish() waited for it.
void DeviceMover::expect(std::int64_t first, std::int64_t count) {
  attempt([&] {
    first_in_ = first;
    num_in_ = count;
    (void)in_.fit(on_gpu_->around.device, on_gpu_->ordinal, bytes_of_sections(particles_, roles_, count));
  });
}

void DeviceMover::place(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
                        std::int64_t* origins) {  // data path
  attempt([&] {
    if (first < first_in_ || first + count > first_in_ + num_in_)
      throw Error(StatusCode::disagreement, "migrate: more particles came than were announced");
    const std::byte* from = batch;
    std::byte* section = in_.get();
    for (const std::size_t a : roles_.migrating) {
      const std::size_t bytes = particles_.arrays[a].element.bytes();
      std::memcpy(section + static_cast<std::size_t>(first - first_in_) * bytes, from,
                  bytes * static_cast<std::size_t>(count));
      from += bytes * static_cast<std::size_t>(count);
      section += section_bytes(particles_.arrays[a], num_in_);
    }
  });
  const auto record = static_cast<std::size_t>(roles_.record_bytes);
  if (shape.has_origin)
    std::memcpy(origins, batch + record * static_cast<std::size_t>(count),
                static_cast<std::size_t>(count) * sizeof(std::int64_t));
}

void DeviceMover::place_arrivals() {
  if (num_in_ == 0) return;
  std::byte* section = in_.get();
  for (const std::size_t a : roles_.migrating) {
    const auto array = device::element_array(particles_, roles_, a);
    add(a, in_message(array, pack::place_of(section)), in_array(array, first_in_), num_in_);
    section += section_bytes(particles_.arrays[a], num_in_);
  }
  num_in_ = 0;
  copy_added();
}

// ---- holes ----------------------------------------------------------------------------------------------------------

void DeviceMover::move(std::span<const Move> moves, const Particles&, const Roles&) {
  attempt([&] {
    place_arrivals();
    const Numbers numbers = write_numbers(moves);
    if (numbers.count > 0) move_numbered(numbers);
  });
}

DeviceMover::Numbers DeviceMover::write_numbers(std::span<const Move> moves) {
  Numbers numbers;
  for (const Move& move : moves) numbers.count += move.count;
  const std::size_t bytes = static_cast<std::size_t>(numbers.count) * sizeof(std::int32_t);
  auto* from = reinterpret_cast<std::int32_t*>(from_.fit(on_gpu_->around.device, on_gpu_->ordinal, bytes));
  auto* to = reinterpret_cast<std::int32_t*>(to_.fit(on_gpu_->around.device, on_gpu_->ordinal, bytes));
  numbers.from = from;
  numbers.to = to;
  std::int64_t lowest_source = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_target = -1;
  for (const Move& move : moves) {
    lowest_source = std::min(lowest_source, move.from);
    highest_target = std::max(highest_target, move.to + move.count - 1);
    std::iota(from, from + move.count, static_cast<std::int32_t>(move.from));
    std::iota(to, to + move.count, static_cast<std::int32_t>(move.to));
    from += move.count;
    to += move.count;
  }
  numbers.is_apart = highest_target < lowest_source;
  return numbers;
}

// Through memory of their own where targets of one move may be sources of another.
void DeviceMover::move_numbered(const Numbers& numbers) {
  if (numbers.is_apart) {
    for (const std::size_t a : roles_.migrating) {
      const auto array = device::element_array(particles_, roles_, a);
      add(a, in_array(array, 0, numbers.from), in_array(array, 0, numbers.to), numbers.count);
    }
    return copy_added();
  }
  std::byte* memory =
      moved_.fit(on_gpu_->around.device, on_gpu_->ordinal, bytes_of_sections(particles_, roles_, numbers.count));
  for (const bool is_back : {false, true}) {
    std::byte* section = memory;
    for (const std::size_t a : roles_.migrating) {
      const auto array = device::element_array(particles_, roles_, a);
      const auto on_the_way = in_message(array, pack::place_of(section));
      if (is_back)
        add(a, on_the_way, in_array(array, 0, numbers.to), numbers.count);
      else
        add(a, in_array(array, 0, numbers.from), on_the_way, numbers.count);
      section += section_bytes(particles_.arrays[a], numbers.count);
    }
    copy_added();
  }
}

Status DeviceMover::finish() {
  attempt([&] { place_arrivals(); });
  runs_.clear();
  const Status status = come_to_rest();
  if (failure_.ok()) failure_ = status;
  return std::exchange(failure_, {});
}

}  // namespace halyard::particles
