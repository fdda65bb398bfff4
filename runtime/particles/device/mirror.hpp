// Mirror: copies of some elements of some arrays in GPU memory, as Particles in host memory: for what is looked at on
// the host because there is little of it, or because a check was asked for. All of it in the default stream. One
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "particles/device/memory.hpp"

namespace halyard::particles::device {

/// The arrays that hold positions, each once; then those of `more` that there are.
std::vector<std::size_t> position_arrays(const Roles& roles, std::initializer_list<std::optional<std::size_t>> more);

class Mirror {
 public:
  explicit Mirror(std::shared_ptr<const OnGpu> on_gpu) : on_gpu_(std::move(on_gpu)) {}

  /// Elements `numbers` (GPU memory, or mapped; null: the first ones) of `arrays`; the others have no data. Waits for
  /// them. Valid until the next ones are taken. Throws Error.
  const Particles& take(const Particles& particles, const Roles& roles, std::span<const std::size_t> arrays,
                        std::int64_t count, const std::int32_t* numbers = nullptr);

  /// The same in two steps. Enqueues one launch that copies as many as `count`, in GPU memory, says, at most `most`,
  /// and their numbers; whatever was taken before is lost.
  void begin_to_take(const Particles& particles, const Roles& roles, std::span<const std::size_t> arrays,
                     std::int64_t most, const std::int32_t* numbers, const std::uint32_t* count = nullptr);
  /// What came, once the stream has been waited for.
  const Particles& taken(std::int64_t count);
  const Particles& records() const { return copy_; }
  const std::int32_t* numbers() const { return host_numbers_; }

  /// Enqueues copies of what was taken of `arrays` back to where it was. Throws Error.
  void put_back(const Particles& particles, const Roles& roles, std::span<const std::size_t> arrays);

 private:
  pack::device::Run run(const Particles& particles, const Roles& roles, std::size_t array, bool is_back) const;

  std::shared_ptr<const OnGpu> on_gpu_;
  exchange::gpu::MappedRoom memory_;
  const std::int32_t* numbers_ = nullptr;
  const std::int32_t* host_numbers_ = nullptr;
  Particles copy_;
  std::vector<pack::device::Run> runs_;
};

}  // namespace halyard::particles::device
