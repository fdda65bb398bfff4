// mpi::Channel: two persistent sends and two persistent receives, used in turn. Receives are posted before the first
// message can come, and again as soon as a message has been read, so nothing ever arrives unexpected by more than the
// two messages that credits allow.
#pragma once

#include <memory>
#include <new>

#include "transport/channel.hpp"
#include "transport/mpi/handles.hpp"

namespace halyard::transport::mpi {

class Channel final : public transport::Channel {
 public:
  Channel(const ChannelSpec& spec, MPI_Comm comm);
  ~Channel() override;

  Blob address() override { return {}; }
  void connect(std::span<const std::byte> peer_address) override;

  std::vector<std::span<std::byte>> buffers() override;
  bool may_post() override;
  std::byte* send_buffer() override;
  void post(std::int64_t bytes, std::uint64_t tag) override;
  std::uint64_t num_delivered() override;
  std::optional<Incoming> receive() override;
  void release() override;
  bool is_quiet() override;
  StatusCode failure() const override { return failure_; }
  std::string failure_text() const override;
  std::string form() const override { return "persistent requests"; }

 private:
  static constexpr std::size_t kNumSlots = 2;

  // One message buffer: a header of 64 bytes, then the payload.
  struct Slot {
    std::byte* buffer = nullptr;
    Request request;
    bool is_active = false;
  };

  void allocate(std::int64_t send_bytes, std::int64_t receive_bytes);
  void keep(int code, const char* what);
  bool has_ended(Slot& slot);
  Slot& send_slot(std::uint64_t number) { return sends_[number % kNumSlots]; }
  Slot& receive_slot(std::uint64_t number) { return receives_[number % kNumSlots]; }

  struct FreeAligned {
    std::align_val_t alignment;
    void operator()(std::byte* memory) const;
  };

  ChannelSpec spec_;
  MPI_Comm comm_;
  std::size_t memory_bytes_ = 0;
  std::unique_ptr<std::byte[], FreeAligned> memory_{nullptr, FreeAligned{}};
  Datatype send_type_;
  Datatype receive_type_;
  Slot sends_[kNumSlots];
  Slot receives_[kNumSlots];
  std::uint64_t num_posted_ = 0;
  std::uint64_t num_delivered_ = 0;
  std::uint64_t num_received_ = 0;
  StatusCode failure_ = StatusCode::ok;
  int mpi_code_ = MPI_SUCCESS;
  const char* failed_call_ = "";
};

}  // namespace halyard::transport::mpi
