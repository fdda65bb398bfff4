// DeviceMover: the arrays of a migration in GPU memory. Leavers are gathered into pinned memory by one launch an array,
// arrivals scattered from there, and holes filled on the GPU. All of it in the default stream. One thread.
#pragma once

#include <memory>
#include <vector>

#include "particles/device/memory.hpp"
#include "particles/migrate/record_mover.hpp"

namespace halyard::particles {

class DeviceMover final : public RecordMover {
 public:
  DeviceMover(std::shared_ptr<const device::OnGpu> on_gpu, const Particles& particles, const Roles& roles)
      : on_gpu_(std::move(on_gpu)), particles_(particles), roles_(roles) {}

  void stage(std::span<const std::int32_t> leavers) override;
  void pack(const RecordShape& shape, std::span<const std::int32_t> numbers, std::size_t first,
            std::byte* batch) override;
  void expect(std::int64_t count) override;
  void place(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
             std::int64_t* origins) override;
  void move(std::span<const Move> moves, const Particles& particles, const Roles& roles) override;
  Status finish() override;

 private:
  void copy(const pack::device::ElementArray& array, const pack::device::ElementsAt& source,
            const pack::device::ElementsAt& target, std::int64_t count);
  void move_array(std::size_t array, std::int64_t count);
  const std::int32_t* upload(std::span<const std::int32_t> numbers, exchange::gpu::MappedRoom& room);
  template <class Step>
  void attempt(const Step& step);

  std::shared_ptr<const device::OnGpu> on_gpu_;
  const Particles& particles_;
  const Roles& roles_;
  exchange::gpu::MappedRoom out_;  // leavers, array by array
  exchange::gpu::MappedRoom in_;   // arrivals, batch by batch
  exchange::gpu::MappedRoom leavers_;
  exchange::gpu::MappedRoom from_;
  exchange::gpu::MappedRoom to_;
  exchange::gpu::GpuRoom moved_;  // one array's elements on their way
  std::vector<std::int32_t> numbers_;
  std::size_t num_staged_ = 0;
  std::size_t bytes_in_ = 0;
  std::size_t room_in_ = 0;
  Status failure_;
};

}  // namespace halyard::particles
