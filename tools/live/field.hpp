// LiveField: the field of one rank, a slab of a ring of slabs along z: planes of face x face cells, kDepth owned and
// one ghost plane on each side. Filled with coordinate codes and checked, in host or GPU memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "halyard/halyard.hpp"

namespace halyard::live {

class LiveField {
 public:
  static constexpr std::int64_t kDepth = 2;

  /// `device` null: host memory of `context`. Throws Error when there is no room.
  LiveField(Context& context, std::shared_ptr<device::Device> device, int face);

  Pattern pattern() const;
  FieldView view() const;

  /// Codes of `epoch` into the owned cells, a value that no cell has into the ghosts.
  void fill(int epoch);
  /// Cells that do not hold what they should after an exchange.
  std::int64_t num_wrong(int epoch) const;

  std::int64_t face_bytes() const { return std::int64_t{face_} * face_ * static_cast<std::int64_t>(sizeof(double)); }

 private:
  BoxHalo halo() const;
  double code_of(int epoch, std::int64_t plane, std::int64_t cell) const;
  std::size_t bytes() const;

  int rank_;
  int num_ranks_;
  int face_;
  std::shared_ptr<device::Device> device_;  // before memory_, which it frees
  std::unique_ptr<void, std::function<void(void*)>> memory_;
  mutable std::vector<double> on_host_;
};

}  // namespace halyard::live
