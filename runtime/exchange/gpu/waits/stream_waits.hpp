// StreamWaits: how a rank that shares its GPU with other ranks waits for their messages. A kernel that polls keeps the
// GPU until its time slice ends, some milliseconds in which the ranks that it waits for cannot run; a stream that waits
// lets them (docs/adr/0034).
//
// Each neighbor stores a word here once its kernel that starts an exchange has ended. It only lets the kernel that
// finishes begin, which then looks for what has arrived as always: nothing depends on the word's order. Enqueuing is
// data path, by the thread that uses the binding. A word that does not come in time is stored by the context's thread
// instead, so that the kernel runs into its own deadline and says who is missing.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "exchange/gpu/buffers.hpp"
#include "exchange/gpu/waits/progress.hpp"

namespace halyard::exchange::gpu {

class StreamWaits final : public Driven {
 public:
  /// `words` are those that neighbors store, in memory that the GPU reads. No deadline: 0.
  StreamWaits(std::shared_ptr<device::Device> device, int ordinal, std::vector<std::uint64_t*> words,
              double deadline_s);

  /// Data path. What the stream is given next begins when all neighbors have started exchange `number`.
  Status begin(Stream stream, std::uint64_t number);
  /// Data path. Exchange `number` is over when the stream comes here.
  Status end(Stream stream, std::uint64_t number);

  /// By the context's thread: lets go of a wait that has lasted too long. Always false: there is no hurry.
  bool advance() override;

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t* begun() const { return reinterpret_cast<std::uint64_t*>(mapped_.get()); }
  std::uint64_t* ended() const { return begun() + 1; }
  void let_go();

  std::shared_ptr<device::Device> device_;
  int ordinal_;
  std::vector<std::uint64_t*> words_;
  double deadline_s_;
  MappedBuffer mapped_;
  std::uint64_t seen_begun_ = 0;
  Clock::time_point since_;
  bool has_let_go_ = false;
  std::uint64_t life_;
};

}  // namespace halyard::exchange::gpu
