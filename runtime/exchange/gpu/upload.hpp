// upload: compiled Tables into GPU memory, as a Launch that is complete but for counters, failure word and deadline.
#pragma once

#include "exchange/gpu/buffers.hpp"
#include "exchange/gpu/staged/staged_link.hpp"
#include "halyard/plan.hpp"
#include "pack/device/compile.hpp"

namespace halyard::exchange::gpu {

struct Uploaded {
  GpuBuffer memory;
  pack::device::Launch launch;
};

/// Into memory of its own.
Uploaded upload(const pack::device::Tables& tables, const std::shared_ptr<device::Device>& device, int ordinal);

/// Into memory that is there, of at least bytes_of(tables).
std::size_t bytes_of(const pack::device::Tables& tables);
/// Without a wait: `image` is mapped memory of as many bytes, which must stay as it is until the stream has come there.
/// Throws Error.
pack::device::Launch upload_in(Stream stream, std::byte* memory, std::byte* image, const pack::device::Tables& tables,
                               device::Device& device, int ordinal);

/// What a staged link moves in one kind of exchange.
StagedKind staged_kind(const PlanNeighbor& neighbor, Kind kind, const pack::device::LinkTraffic& traffic);

}  // namespace halyard::exchange::gpu
