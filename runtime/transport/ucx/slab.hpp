// Slab: the memory of one channel, allocated and registered by UCX, with its layout.
#pragma once

#include <utility>

#include "memory/cache.hpp"
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
  Slab(memory::Lease memory, slab::Layout layout)
      : memory_(std::move(memory)), view_(memory_.base(), layout), handle_(memory_.as<UcxRegistration>().handle()) {}

  ucp_mem_h handle() const { return handle_; }
  const UcxRegistration& registration() const { return memory_.as<UcxRegistration>(); }
  const slab::View& view() const { return view_; }

 private:
  memory::Lease memory_;
  slab::View view_;
  ucp_mem_h handle_;  // at hand for the data path
};

}  // namespace halyard::transport::ucx
