// See channel.hpp.
#include "transport/mpi/channel.hpp"

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "transport/mpi/bytes_type.hpp"

namespace halyard::transport::mpi {
namespace {

constexpr std::int64_t kHeader = 64;
constexpr std::size_t kPage = 4096;

std::int64_t slot_bytes(std::int64_t bytes) { return kHeader + (bytes + 63) / 64 * 64; }

// Bindings take turns with the tags that MPI guarantees (0 to 32767), two messages never share one.
int tag_of(std::uint64_t binding) { return static_cast<int>(binding % 32768); }

// Buffers that MPI may still know: not used again, and not lost either, so that a leak checker finds real leaks.
void keep_for_ever(std::byte* memory) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::byte*>;
  const std::lock_guard lock(mutex);
  kept.push_back(memory);
}

}  // namespace

void Channel::FreeAligned::operator()(std::byte* memory) const { ::operator delete(memory, alignment); }

Channel::Channel(const ChannelSpec& spec, MPI_Comm comm)
    : spec_(spec),
      comm_(comm),
      send_type_(type_of_bytes(kHeader + spec.send_bytes)),
      receive_type_(type_of_bytes(kHeader + spec.receive_bytes)) {
  allocate(slot_bytes(spec.send_bytes), slot_bytes(spec.receive_bytes));
}

void Channel::allocate(std::int64_t send_bytes, std::int64_t receive_bytes) {
  auto total = static_cast<std::size_t>(2 * (send_bytes + receive_bytes));
  const std::align_val_t alignment{spec_.whole_pages ? kPage : 64};
  if (spec_.whole_pages) total = (total + kPage - 1) / kPage * kPage;
  try {
    memory_ = {static_cast<std::byte*>(::operator new(total, alignment)), FreeAligned{alignment}};
  } catch (const std::bad_alloc&) {
    throw Error(StatusCode::out_of_resources,
                fmt::format("allocate {} bytes of message buffers for rank {}", total, spec_.peer));
  }
  memory_bytes_ = total;
  std::byte* next = memory_.get();
  for (Slot& slot : sends_) {
    slot.buffer = next;
    next += send_bytes;
  }
  for (Slot& slot : receives_) {
    slot.buffer = next;
    next += receive_bytes;
  }
}

void Channel::connect(std::span<const std::byte>) {
  const int tag = tag_of(spec_.binding);
  for (Slot& slot : sends_)
    keep(MPI_Send_init(slot.buffer, 1, send_type_.get(), spec_.peer, tag, comm_, slot.request.address()),
         "MPI_Send_init");
  for (Slot& slot : receives_)
    keep(MPI_Recv_init(slot.buffer, 1, receive_type_.get(), spec_.peer, tag, comm_, slot.request.address()),
         "MPI_Recv_init");
  // Message 1 goes to slot 1: posted in that order, since MPI matches in the order of posting.
  for (std::uint64_t number = 1; number <= kNumSlots && failure_ == StatusCode::ok; ++number) {
    Slot& slot = receive_slot(number);
    keep(MPI_Start(slot.request.address()), "MPI_Start");
    slot.is_active = true;
  }
  if (failure_ != StatusCode::ok) throw Error(failure_, failure_text());
}

Channel::~Channel() {
  if (!is_running()) {
    keep_for_ever(memory_.release());
    return;
  }
  for (Slot& slot : receives_) {
    if (!slot.is_active) continue;
    MPI_Cancel(slot.request.address());
    MPI_Wait(slot.request.address(), MPI_STATUS_IGNORE);
  }
  if (!is_quiet() && memory_ != nullptr) keep_for_ever(memory_.release());  // a send is still being read
}

std::vector<std::span<std::byte>> Channel::buffers() {
  if (!spec_.whole_pages) return {};
  return {{memory_.get(), memory_bytes_}};
}

bool Channel::may_post() { return has_ended(send_slot(num_posted_ + 1)); }  // data path

std::byte* Channel::send_buffer() { return send_slot(num_posted_ + 1).buffer + kHeader; }  // data path

void Channel::post(std::int64_t, std::uint64_t tag) {  // data path
  Slot& slot = send_slot(++num_posted_);
  std::memcpy(slot.buffer, &tag, sizeof(tag));
  keep(MPI_Start(slot.request.address()), "MPI_Start");
  slot.is_active = failure_ == StatusCode::ok;
}

std::uint64_t Channel::num_delivered() {  // data path
  // The fields were free as soon as they were packed. But a large message leaves only while this rank makes progress,
  // so an exchange is not over before its sends are: the peer must not depend on what this rank calls next.
  while (num_delivered_ < num_posted_ && has_ended(send_slot(num_delivered_ + 1))) ++num_delivered_;
  return num_delivered_;
}

std::optional<Incoming> Channel::receive() {  // data path
  Slot& slot = receive_slot(num_received_ + 1);
  if (!has_ended(slot)) return std::nullopt;
  Incoming incoming{slot.buffer + kHeader, 0};
  std::memcpy(&incoming.tag, slot.buffer, sizeof(incoming.tag));
  return incoming;
}

void Channel::release() {  // data path
  Slot& slot = receive_slot(++num_received_);
  keep(MPI_Start(slot.request.address()), "MPI_Start");
  slot.is_active = failure_ == StatusCode::ok;
}

bool Channel::is_quiet() { return has_ended(sends_[0]) && has_ended(sends_[1]); }

bool Channel::has_ended(Slot& slot) {
  if (!slot.is_active) return failure_ == StatusCode::ok;
  int has_ended = 0;
  keep(MPI_Test(slot.request.address(), &has_ended, MPI_STATUS_IGNORE), "MPI_Test");
  slot.is_active = has_ended == 0;
  return has_ended != 0 && failure_ == StatusCode::ok;
}

void Channel::keep(int code, const char* what) {
  if (code == MPI_SUCCESS || failure_ != StatusCode::ok) return;
  failure_ = StatusCode::transport_failed;
  mpi_code_ = code;
  failed_call_ = what;
}

std::string Channel::failure_text() const {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(mpi_code_, text, &length);
  return fmt::format("{} with rank {}: {}", failed_call_, spec_.peer, text);
}

}  // namespace halyard::transport::mpi
