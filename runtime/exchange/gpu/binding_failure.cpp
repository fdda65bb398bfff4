// How a binding on a GPU fails, see binding.hpp.
#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "exchange/gpu/binding.hpp"
#include "exchange/gpu/code.hpp"
#include "metrics/registry.hpp"

namespace halyard {

using exchange::Kind;
using exchange::gpu::GpuLink;
using pack::device::Failure;
using pack::device::FailureKind;

bool GpuBinding::was_reset() {  // data path
  const std::uint64_t now = around_.device->life(ordinal_);
  if (life_ == 0) life_ = now;
  return now != life_;
}

void GpuBinding::look_for_reset() {  // data path
  if (!failure_.ok() || !was_reset()) return;
  fail({StatusCode::transport_failed,
        fmt::format("exchange fields on GPU {}: the program has reset it (cudaDeviceReset) since, and its memory is "
                    "gone; make context and exchanges anew",
                    ordinal_)});
}

// What the kernel found itself says more than that a peer gave up, which a link words better.
void GpuBinding::look_for_failure() {
  if (!failure_.ok()) return;
  auto& failure = *reinterpret_cast<Failure*>(parts_.failure.get());
  const auto kind =
      static_cast<FailureKind>(std::atomic_ref<std::uint32_t>(failure.kind).load(std::memory_order_acquire));
  const bool is_told = kind == FailureKind::none || kind == FailureKind::peer_gave_up;
  for (const GpuLink& link : parts_.links)
    if (is_told && link.is_staged && link.staged->has_failed()) return fail(link.staged->failure());
  if (kind == FailureKind::none) return;
  StatusCode code = StatusCode::timeout;
  if (kind == FailureKind::peer_gave_up) code = StatusCode::peer_failed;
  if (kind == FailureKind::disagreement) code = StatusCode::disagreement;
  fail({code, failure_text(failure)});
}

std::string GpuBinding::waiting_text(const GpuLink& link, std::uint64_t number) const {
  std::string names;
  for (const FieldShape& field : plan_.fields()) names += (names.empty() ? "" : "+") + field.name;
  const Running& what = running_[number % kMostInFlight];
  return fmt::format("rank {} waits for rank {}, field {}, {} {}, path {} ({})", plan_.pattern().rank, link.rank, names,
                     what.kind == Kind::forward ? "forward" : "reverse", number, link.is_staged ? "staged" : "peer",
                     link.form);
}

std::string GpuBinding::failure_text(const Failure& failure) const {
  const GpuLink& link = parts_.links[failure.link];
  const std::string head = waiting_text(link, failure.number);
  switch (static_cast<FailureKind>(failure.kind)) {
    case FailureKind::peer_gave_up:
      return fmt::format("{}: rank {} gave up", head, link.rank);
    case FailureKind::disagreement:
      return fmt::format(
          "{}: rank {} started another kind of exchange; all ranks must start the same exchanges on a "
          "binding in the same order",
          head, link.rank);
    default:
      return fmt::format(
          "{}: its word stands at exchange {}; the deadline of {} s passed (HALYARD_DEADLINE, "
          "Options::deadline_s)",
          head, pack::device::number_of(failure.word), around_.around.wait.deadline_s);
  }
}

void GpuBinding::fail(Status status) {
  if (!failure_.ok()) return;
  if (meter_ != nullptr) meter_->failed(status.code());
  failure_ = std::move(status);
  for (GpuLink& link : parts_.links) {
    if (!link.is_staged) continue;
    link.staged->give_up(link.rank);
    if (around_.progress == nullptr) link.staged->tell_peer();
  }
}

}  // namespace halyard
