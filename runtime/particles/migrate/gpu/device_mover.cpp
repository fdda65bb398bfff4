// See device_mover.hpp.
#include "particles/migrate/gpu/device_mover.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace halyard::particles {

using pack::device::in_array;
using pack::device::in_message;

namespace {

// Sections of staged memory are aligned for any unit.
std::size_t section_bytes(const ParticleArray& array, std::size_t count) {
  return (array.element.bytes() * count + 15) / 16 * 16;
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

void DeviceMover::copy(const pack::device::ElementArray& array, const pack::device::ElementsAt& source,
                       const pack::device::ElementsAt& target, std::int64_t count) {
  const auto run = pack::device::numbered_run(array, source, target, count, 16);
  pack::device::copy_numbered(*on_gpu_->around.device, on_gpu_->ordinal, run, {}).or_throw();
}

const std::int32_t* DeviceMover::upload(std::span<const std::int32_t> numbers, exchange::gpu::MappedRoom& room) {
  std::byte* memory = room.fit(on_gpu_->around.device, on_gpu_->ordinal, numbers.size_bytes());
  if (!numbers.empty()) std::memcpy(memory, numbers.data(), numbers.size_bytes());
  return reinterpret_cast<const std::int32_t*>(memory);
}

void DeviceMover::stage(std::span<const std::int32_t> leavers) {
  attempt([&] {
    num_staged_ = leavers.size();
    std::size_t bytes = 0;
    for (const std::size_t a : roles_.migrating) bytes += section_bytes(particles_.arrays[a], num_staged_);
    std::byte* next = out_.fit(on_gpu_->around.device, on_gpu_->ordinal, bytes);
    if (leavers.empty()) return;
    const std::int32_t* numbers = upload(leavers, leavers_);
    for (const std::size_t a : roles_.migrating) {
      const auto array = device::element_array(particles_, roles_, a);
      copy(array, in_array(array, 0, numbers), in_message(array, pack::place_of(next)),
           static_cast<std::int64_t>(num_staged_));
      next += section_bytes(particles_.arrays[a], num_staged_);
    }
    on_gpu_->synchronize();
  });
}

void DeviceMover::pack(const RecordShape& shape, std::span<const std::int32_t> numbers, std::size_t first,
                       std::byte* batch) {  // data path
  const std::byte* staged = out_.get();
  for (const std::size_t a : roles_.migrating) {
    const ParticleArray& array = particles_.arrays[a];
    const std::size_t bytes = array.element.bytes();
    if (failure_.ok()) std::memcpy(batch, staged + first * bytes, numbers.size() * bytes);
    batch += numbers.size() * bytes;
    staged += section_bytes(array, num_staged_);
  }
  if (shape.has_origin) pack_origins(numbers, batch);
}

void DeviceMover::expect(std::int64_t count) {
  attempt([&] {
    on_gpu_->synchronize();  // what came before may still be read
    bytes_in_ = 0;
    room_in_ = 0;
    for (const std::size_t a : roles_.migrating)  // pieces, and their sections, begin on 16 bytes
      room_in_ += (particles_.arrays[a].element.bytes() + 16) * static_cast<std::size_t>(count);
    (void)in_.fit(on_gpu_->around.device, on_gpu_->ordinal, room_in_);
  });
}

void DeviceMover::place(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
                        std::int64_t* origins) {
  attempt([&] {
    const std::byte* from = batch;
    for (const std::size_t a : roles_.migrating) {
      const std::size_t bytes = particles_.arrays[a].element.bytes() * static_cast<std::size_t>(count);
      if (bytes_in_ + bytes > room_in_)
        throw Error(StatusCode::disagreement, "migrate: more particles came than were announced");
      std::byte* staged = in_.get() + bytes_in_;
      std::memcpy(staged, from, bytes);
      const auto array = device::element_array(particles_, roles_, a);
      copy(array, in_message(array, pack::place_of(staged)), in_array(array, first), count);
      from += bytes;
      bytes_in_ += section_bytes(particles_.arrays[a], static_cast<std::size_t>(count));
    }
  });
  const auto record = static_cast<std::size_t>(roles_.record_bytes);
  if (shape.has_origin)
    std::memcpy(origins, batch + record * static_cast<std::size_t>(count),
                static_cast<std::size_t>(count) * sizeof(std::int64_t));
}

// Elements go through memory of their own, as targets of one move may be sources of another.
void DeviceMover::move(std::span<const Move> moves, const Particles&, const Roles&) {
  attempt([&] {
    std::int64_t count = 0;
    for (const Move& move : moves) count += move.count;
    if (count == 0) return;
    on_gpu_->synchronize();
    for (const bool is_source : {true, false}) {
      numbers_.clear();
      for (const Move& move : moves)
        for (std::int64_t i = 0; i < move.count; ++i)
          numbers_.push_back(static_cast<std::int32_t>((is_source ? move.from : move.to) + i));
      (void)upload(numbers_, is_source ? from_ : to_);
    }
    std::size_t most = 0;  // before the first launch: what launches use must not be replaced
    for (const std::size_t a : roles_.migrating)
      most = std::max(most, section_bytes(particles_.arrays[a], static_cast<std::size_t>(count)));
    (void)moved_.fit(on_gpu_->around.device, on_gpu_->ordinal, most);
    for (const std::size_t a : roles_.migrating) move_array(a, count);
  });
}

void DeviceMover::move_array(std::size_t number, std::int64_t count) {
  const auto array = device::element_array(particles_, roles_, number);
  const auto on_the_way = in_message(array, pack::place_of(moved_.get()));
  copy(array, in_array(array, 0, reinterpret_cast<const std::int32_t*>(from_.get())), on_the_way, count);
  copy(array, on_the_way, in_array(array, 0, reinterpret_cast<const std::int32_t*>(to_.get())), count);
}

Status DeviceMover::finish() {
  attempt([&] { on_gpu_->synchronize(); });
  return std::exchange(failure_, {});
}

}  // namespace halyard::particles
