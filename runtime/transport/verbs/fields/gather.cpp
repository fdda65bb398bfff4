// See gather.hpp.
#include "transport/verbs/fields/gather.hpp"

#include <algorithm>

#include "transport/slab/layout.hpp"
#include "transport/verbs/registrar.hpp"

namespace halyard::transport::verbs {
namespace {

constexpr auto kHeader = static_cast<std::uint32_t>(sizeof(slab::Header));

}  // namespace

Gather::Gather(const Parts& parts, std::span<const std::unique_ptr<Rail>> rails) : parts_(parts), bytes_(kHeader) {
  for (const Part& part : parts_) {
    bytes_ += static_cast<std::uint32_t>(part.bytes);
    std::vector<memory::Lease> leases;
    for (const auto& rail : rails)
      if (part.data != nullptr) leases.push_back(rail->cache().acquire(part.data, part.bytes));
    leases_.push_back(std::move(leases));
  }
}

void Gather::lay_out(const Slab& slab, std::uint32_t most) {
  writes_.clear();
  cut(slab.address, kHeader, slab.keys, most);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto bytes = static_cast<std::uint32_t>(parts_[i].bytes);
    if (parts_[i].data == nullptr) {
      cut(slab.address, bytes, slab.keys, most);
      continue;
    }
    std::vector<std::uint32_t> keys;
    for (const memory::Lease& lease : leases_[i]) keys.push_back(lease.as<Registration>().local_key());
    cut(reinterpret_cast<std::uint64_t>(parts_[i].data), bytes, keys, most);
  }
}

/// Appends bytes to the last write, and to new ones where it is full.
void Gather::cut(std::uint64_t address, std::uint32_t bytes, const std::vector<std::uint32_t>& keys,
                 std::uint32_t most) {
  while (bytes > 0) {
    std::uint32_t room = most;
    if (!writes_.empty())
      for (const ibv_sge& piece : writes_.back().pieces) room -= piece.length;
    if (writes_.empty() || room == 0) {
      writes_.push_back({static_cast<std::uint32_t>(writes_.size()) * most, {}});
      room = most;
    }
    const std::uint32_t length = std::min(room, bytes);
    writes_.back().pieces.push_back({address, length, keys[writes_.size() - 1]});
    address += length;
    bytes -= length;
  }
}

}  // namespace halyard::transport::verbs
