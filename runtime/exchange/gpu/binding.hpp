// GpuBinding: runs the exchanges of one binding of fields in GPU memory: one kernel launch to start, one to finish, or
// one for both. Everything that decides what a launch does lies in GPU memory, so that captured graphs can be replayed.
//
// Made by GpuAssembly. Used by one thread at a time. Starting and finishing are data path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exchange/binding_core.hpp"
#include "exchange/gpu/buffers.hpp"
#include "exchange/gpu/staged/staged_link.hpp"
#include "exchange/gpu/surroundings.hpp"
#include "exchange/gpu/waits/stream_waits.hpp"
#include "pack/device/compile.hpp"

namespace halyard::exchange::gpu {

/// One neighbor as a binding remembers it.
struct GpuLink {
  int rank = 0;
  bool is_staged = false;
  bool is_self = false;
  std::string form;                          // for explain()
  std::string reason;                        // why not in a better form
  const std::uint64_t* own_words = nullptr;  // GPU memory that the peer writes
  std::unique_ptr<StagedLink> staged;
};

/// What GpuAssembly puts together. Members are destroyed in reverse: memory last.
struct GpuParts {
  GpuBuffer arena;       // landing memory and words of peer links; landing memory of links whose NIC reaches the GPU
  GpuBuffer sent;        // what such links send
  GpuBuffer landing;     // landing memory that is not in the arena
  MappedBuffer out;      // what staged links send
  MappedBuffer in;       // what staged links receive
  MappedBuffer failure;  // pack::device::Failure
  GpuBuffer counters;
  GpuBuffer moments;  // pack::device::Moments; null: no trace is taken
  GpuBuffer tables[2];
  std::vector<std::shared_ptr<device::Mapping>> mappings;
  std::vector<GpuLink> links;                 // the plan's neighbors
  std::unique_ptr<StreamWaits> stream_waits;  // null: this rank has its GPU to itself
  pack::device::Launch launches[2];
  std::string why_no_reverse;
};

}  // namespace halyard::exchange::gpu

namespace halyard::metrics {
class Meter;
}

namespace halyard {

class GpuBinding final : public BindingCore {
 public:
  GpuBinding(Plan plan, int ordinal, exchange::gpu::GpuSurroundings around, exchange::gpu::GpuParts parts);
  ~GpuBinding() override;

  std::uint64_t start(exchange::Kind kind, Reduce op, ReduceOrder order) override;
  Status wait(std::uint64_t number) override;
  Status wait_on(std::uint64_t number, int rank) override;
  bool ready(std::uint64_t number) override;
  std::uint64_t start_in(Stream stream, exchange::Kind kind, Reduce op, ReduceOrder order) override;
  std::uint64_t run_in(Stream stream, exchange::Kind kind, Reduce op, ReduceOrder order) override;
  Status wait_in(std::uint64_t number, Stream stream) override;

  const Plan& plan() const override { return plan_; }
  std::string explain() const override;
  std::string explain_json() const override;

  /// Bytes that went through host memory so far.
  std::uint64_t staged_bytes() const;
  /// Copies between host and GPU memory so far, in streams of the binding's own.
  std::uint64_t num_copies() const;

  // ---- for messages that are listed anew between exchanges ----

  /// Whether all exchanges that were started are being finished.
  bool is_idle() const { return num_finishing_ == num_started_; }
  /// Waits until they are over and their messages gone. Then what they were made of may be replaced.
  Status settle();
  /// Between pause() and resume() nobody drives the staged links; resume() drives those that have a channel.
  void pause();
  void resume();
  exchange::gpu::GpuParts& parts() { return parts_; }
  /// What exchanges and waits report from now on, on this rank.
  void fail(Status status);
  int ordinal() const { return ordinal_; }

  /// Two landing slots hold two exchanges.
  static constexpr std::uint64_t kMostInFlight = 2;

 private:
  struct Running {
    exchange::Kind kind = exchange::Kind::forward;
    Reduce op = Reduce::sum;
    Stream started_on;
    Stream finished_on;
  };

  /// An exchange without any neighbor asks nothing of the GPU (field case F04).
  bool moves_nothing() const { return parts_.links.empty(); }
  void close();
  std::uint64_t begin(Stream stream, exchange::Kind kind, Reduce op, pack::device::Phase phase);
  std::uint64_t refusal_of(Stream stream, exchange::Kind kind);
  Status enqueue(Stream stream, const Running& running, pack::device::Phase phase);
  Status enqueue_finish(Stream stream, const Running& running, std::uint64_t number);
  Status order_start(Stream stream, pack::device::Phase phase);
  Status order_finish(Stream stream, Stream started_on);
  Status order(Stream before, Stream after);
  void wait_for_kernels();
  void wait_until_sent();
  Status finish_through(std::uint64_t number, Stream stream);
  Status check_number(std::uint64_t number);
  bool was_reset();
  void look_for_reset();
  Status synchronize(Stream stream);
  Status drive_until_exchanged(std::uint64_t number);
  bool advance_staged();
  void look_for_failure();
  std::string waiting_text(const exchange::gpu::GpuLink& link, std::uint64_t number) const;
  std::string failure_text(const pack::device::Failure& failure) const;
  pack::device::Counters counters() const;
  bool is_quiet() const;
  std::unique_ptr<metrics::Meter> make_meter() const;
  void open_stamps();
  void wait_until_quiet(bool can_send);

  Running& running(std::uint64_t number) { return running_[number % kMostInFlight]; }

  Plan plan_;
  int ordinal_;
  std::uint64_t life_ = 0;  // of the GPU; 0: it had none yet
  exchange::gpu::GpuSurroundings around_;
  exchange::gpu::GpuParts parts_;
  bool has_staged_ = false;
  bool is_driven_ = false;
  bool may_reduce_ = true;
  Running running_[kMostInFlight];
  std::uint64_t num_started_ = 0;
  std::uint64_t num_finishing_ = 0;  // finish kernels enqueued
  std::uint64_t num_seen_done_ = 0;  // the host has waited for them
  Stream last_start_;                // where the last kernel that starts was given
  Stream last_finish_;               // and the last one that finishes
  Stream checked_stream_;
  bool has_checked_stream_ = false;
  bool was_captured_ = false;
  Status failure_;
  pack::device::StampLog stamp_log_;       // where kernels put their times, if a trace is taken
  std::unique_ptr<metrics::Meter> meter_;  // null where nobody counts; asks the links, so it goes first
};

}  // namespace halyard
