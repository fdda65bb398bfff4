// Mirror: copies of some elements of some arrays in GPU memory, as Particles in host memory: for what is looked at on
// the host because there is little of it, or because a check was asked for. One thread.
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

  /// Elements `numbers` (GPU memory; null: the first ones) of `arrays`; the others have no data. Valid until the next
  /// one. Throws Error.
  const Particles& take(const Particles& particles, const Roles& roles, std::span<const std::size_t> arrays,
                        std::int64_t count, const std::int32_t* numbers = nullptr);
  /// Writes what take() took back to where it was. Throws Error.
  void put_back(const Particles& particles, const Roles& roles);

 private:
  void copy(const Particles& particles, const Roles& roles, bool is_back);

  std::shared_ptr<const OnGpu> on_gpu_;
  exchange::gpu::MappedRoom memory_;
  std::vector<std::size_t> arrays_;
  const std::int32_t* numbers_ = nullptr;
  Particles copy_;
};

}  // namespace halyard::particles::device
