// Slab: the memory of one channel, allocated and registered by UCX, with its layout.
#pragma once

#include <utility>

#include "transport/slab/layout.hpp"
#include "transport/ucx/registrar.hpp"

namespace halyard::transport::ucx {

using slab::Control;
using slab::Header;
using slab::kNumSlots;
using slab::kNumWords;
using slab::read_shared;
using slab::Word;
using slab::write_shared;

class Slab {
 public:
  Slab(Region region, slab::Layout layout) : region_(std::move(region)), view_(region_.data(), layout) {}

  ucp_mem_h handle() const { return region_.handle(); }
  const Region& region() const { return region_; }
  const slab::View& view() const { return view_; }

 private:
  Region region_;
  slab::View view_;
};

}  // namespace halyard::transport::ucx
