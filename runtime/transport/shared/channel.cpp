// See channel.hpp. Addresses are offsets into the owner's segment.
#include "transport/shared/channel.hpp"

#include "transport/blob.hpp"

namespace halyard::transport::shared {
namespace {

struct Offsets {
  std::uint64_t signal = 0;
  std::uint64_t landing = 0;
  std::uint64_t landing_bytes = 0;
};

mailbox::End make_end(const ChannelSpec& spec, const Memory& memory) {
  mailbox::End end{memory.signals.take(), nullptr};  // first: it takes back what ended channels have left
  const std::size_t bytes = mailbox::receive_landing_bytes(spec);
  if (bytes == 0) return end;
  try {
    end.landing = spec.whole_pages ? memory.arena.allocate_pages(bytes) : memory.arena.allocate(bytes);
  } catch (...) {
    memory.signals.give_back(end.signal);
    throw;
  }
  return end;
}

}  // namespace

Channel::Channel(const ChannelSpec& spec, const Memory& memory, std::span<std::byte> peer_segment)
    : mailbox::Channel(spec, make_end(spec, memory), memory.signals), memory_(memory), peer_segment_(peer_segment) {}

Channel::~Channel() {
  leave([&arena = memory_.arena, landing = mine().landing] {
    if (landing != nullptr) arena.deallocate(landing);
  });
}

Blob Channel::address() {
  Offsets offsets;
  offsets.signal = memory_.arena.offset_of(mine().signal);
  if (mine().landing != nullptr) {
    offsets.landing = memory_.arena.offset_of(mine().landing);
    offsets.landing_bytes = mailbox::receive_landing_bytes(spec());
  }
  Blob blob;
  append(blob, offsets);
  return blob;
}

void Channel::connect(std::span<const std::byte> peer_address) {
  const auto offsets = BlobReader(peer_address).read<Offsets>();
  const std::size_t needed = mailbox::send_landing_bytes(spec());
  const bool is_inside = offsets.signal + sizeof(mailbox::Signal) <= peer_segment_.size() &&
                         offsets.landing + offsets.landing_bytes <= peer_segment_.size();
  if (!is_inside || offsets.landing_bytes < needed)
    throw Error(StatusCode::disagreement,
                "connect a shared channel: the peer's landing buffer does not fit the message; do "
                "all ranks run the same Halyard?");
  attach({reinterpret_cast<mailbox::Signal*>(peer_segment_.data() + offsets.signal),
          peer_segment_.data() + offsets.landing});
}

}  // namespace halyard::transport::shared
