// DeviceMover: the arrays of a migration in GPU memory. Records of leavers are on the host already, or are brought
// there by one launch; arrivals are collected in pinned memory and placed by one launch; holes are filled on the GPU by
// another. All of it in the default stream, which is waited for in finish(). One thread.
#pragma once

#include <memory>
#include <vector>

#include "particles/device/mirror.hpp"
#include "particles/migrate/record_mover.hpp"

namespace halyard::particles {

class DeviceMover final : public RecordMover {
 public:
  /// `records`: where those are that were looked at.
  DeviceMover(std::shared_ptr<const device::OnGpu> on_gpu, const Particles& particles, const Roles& roles,
              std::shared_ptr<device::Mirror> records)
      : on_gpu_(std::move(on_gpu)), particles_(particles), roles_(roles), records_(std::move(records)) {}

  /// Waits for what is on its way, which a failed migration leaves behind.
  ~DeviceMover() override { (void)come_to_rest(); }

  void stage(std::span<const std::int32_t> leavers, std::span<const std::int32_t> rows) override;
  void pack(const RecordShape& shape, std::span<const std::int32_t> numbers, std::size_t first,
            std::byte* batch) override;
  Status come_to_rest() final;
  void expect(std::int64_t first, std::int64_t count) override;
  void place(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
             std::int64_t* origins) override;
  void move(std::span<const Move> moves, const Particles& particles, const Roles& roles) override;
  Status finish() override;

 private:
  /// Numbers of all elements that move.
  struct Numbers {
    const std::int32_t* from = nullptr;
    const std::int32_t* to = nullptr;
    std::int64_t count = 0;
    bool is_apart = true;  // no target is another's source
  };

  Numbers write_numbers(std::span<const Move> moves);
  void move_numbered(const Numbers& numbers);
  void place_arrivals();
  void add(std::size_t array, const pack::device::ElementsAt& source, const pack::device::ElementsAt& target,
           std::int64_t count);
  void copy_added();
  template <class Step>
  void attempt(const Step& step);

  std::shared_ptr<const device::OnGpu> on_gpu_;
  const Particles& particles_;
  const Roles& roles_;
  std::shared_ptr<device::Mirror> records_;
  std::vector<std::int32_t> rows_;  // of leavers in them
  exchange::gpu::MappedRoom leavers_;
  exchange::gpu::MappedRoom in_;  // arrivals, array by array
  exchange::gpu::MappedRoom from_;
  exchange::gpu::MappedRoom to_;
  exchange::gpu::GpuRoom moved_;  // elements on their way, array by array
  std::vector<pack::device::Run> runs_;
  std::int64_t first_in_ = 0;  // element of the first arrival
  std::int64_t num_in_ = 0;    // arrivals that are to be placed
  Status failure_;
};

}  // namespace halyard::particles
