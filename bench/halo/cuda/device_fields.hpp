// DeviceFieldSet: the array of a case in GPU memory, filled and checked from the host.
//
// Only what an exchange reads and writes is filled and checked: borders and the whole ghost region. They pass
// through a host buffer, where codes are made and compared; a plain kernel carries them to and from the array.
#pragma once

#include "halo/cuda/handles.hpp"
#include "halo/fields.hpp"

namespace halyard::bench {

/// Memory that is there before the FieldSet that uses it.
struct DeviceFieldMemory {
  explicit DeviceFieldMemory(const Geometry& geometry)
      : memory(allocate_device<double>(static_cast<std::size_t>(geometry.array_cells()))) {}
  DeviceArray<double> memory;
};

class DeviceFieldSet : private DeviceFieldMemory, public FieldSet {
 public:
  DeviceFieldSet(const Geometry& geometry, cudaStream_t stream);

  void fill(int epoch) override;
  std::int64_t num_wrong(int epoch, GhostSource source) const override;
  void touch() override {}

 private:
  void upload(const Box& box);
  void download(const Box& box) const;
  std::int64_t num_wrong_in(const Box& box, const Codes& codes) const;

  cudaStream_t stream_;
  std::size_t largest_box_;
  DeviceArray<double> packed_;
  PinnedArray<double> host_;
};

}  // namespace halyard::bench
