// See completions.hpp.
#include "transport/verbs/completions.hpp"

#include <endian.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "halyard/status.hpp"
#include "transport/verbs/queue_pair.hpp"

namespace halyard::transport::verbs {
namespace {

constexpr int kBatch = 16;
constexpr int kFirstLinks = 8;
constexpr int kPerLink = static_cast<int>(QueuePair::kCompletions);

[[noreturn]] void refuse(const Rail& rail, const char* call, int entries, int error) {
  throw Error(StatusCode::out_of_resources,
              fmt::format("make a completion queue of {} entries on {}: {}: {}; the device allows {}", entries,
                          rail.name(), call, std::strerror(error), rail.max_completions()));
}

}  // namespace

Completions::Completions(const Rails& rails) : rails_(rails) {
  for (const auto& rail : rails) {
    errno = 0;
    events_.emplace_back(ibv_create_comp_channel(rail->context()));
    if (events_.back() == nullptr) refuse(*rail, "ibv_create_comp_channel", kFirstLinks * kPerLink, errno);
    fcntl(events_.back()->fd, F_SETFL, fcntl(events_.back()->fd, F_GETFL) | O_NONBLOCK);
    queues_.emplace_back(ibv_create_cq(rail->context(), kFirstLinks * kPerLink, nullptr, events_.back().get(), 0));
    if (queues_.back() == nullptr) refuse(*rail, "ibv_create_cq", kFirstLinks * kPerLink, errno);
  }
}

std::uint32_t Completions::join(Listener& listener) {
  ++num_listeners_;
  make_room();
  listeners_.push_back(&listener);
  return static_cast<std::uint32_t>(listeners_.size() - 1);
}

void Completions::leave(std::uint32_t id) { listeners_[id] = nullptr; }

// Completions of a link that left may still lie in the queue, so its share is kept.
void Completions::make_room() {
  const int needed = num_listeners_ * kPerLink;
  for (std::size_t rail = 0; rail < queues_.size(); ++rail) {
    if (queues_[rail]->cqe >= needed) continue;
    const int entries = std::min(2 * needed, std::max(needed, rails_[rail]->max_completions()));
    if (const int error = ibv_resize_cq(queues_[rail].get(), entries); error != 0)
      refuse(*rails_[rail], "ibv_resize_cq", entries, error);
  }
}

// data path
void Completions::take_in() {
  ibv_wc completions[kBatch];
  for (std::size_t rail = 0; rail < queues_.size(); ++rail) {
    int count = kBatch;
    while (count == kBatch) {
      count = ibv_poll_cq(queues_[rail].get(), kBatch, completions);
      for (int i = 0; i < count; ++i) hand_out(rail, completions[i]);
      num_taken_in_ += static_cast<std::uint64_t>(std::max(count, 0));
    }
  }
}

bool Completions::sleep(std::chrono::microseconds most) {
  std::vector<pollfd> waiting;
  for (std::size_t rail = 0; rail < queues_.size(); ++rail) {
    if (ibv_req_notify_cq(queues_[rail].get(), 0) != 0) return false;
    waiting.push_back({events_[rail]->fd, POLLIN, 0});
  }
  // What came before the request raises no event.
  const std::uint64_t before = num_taken_in_;
  take_in();
  if (num_taken_in_ != before) return true;
  const timespec time{most.count() / 1'000'000, most.count() % 1'000'000 * 1000};
  if (ppoll(waiting.data(), waiting.size(), &time, nullptr) <= 0) return true;
  for (std::size_t rail = 0; rail < queues_.size(); ++rail) forget_events(rail);
  return true;
}

void Completions::forget_events(std::size_t rail) {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  while (ibv_get_cq_event(events_[rail].get(), &queue, &context) == 0) ibv_ack_cq_events(queue, 1);
}

// data path
void Completions::take_in_for(std::uint32_t id) {
  const bool is_new_round = id <= last_asked_;
  last_asked_ = id;
  if (is_new_round) take_in();
}

// data path
void Completions::hand_out(std::size_t rail, const ibv_wc& completion) {
  const CompletionId id = unpack_id(completion.wr_id);
  Listener* listener = id.id < listeners_.size() ? listeners_[id.id] : nullptr;
  if (listener == nullptr) return;
  if (completion.status != IBV_WC_SUCCESS)
    listener->on_failed(rail, completion);
  else if (id.posted == 0)
    listener->on_received(rail, be32toh(completion.imm_data));
  else
    listener->on_sent(rail, id.posted);
}

}  // namespace halyard::transport::verbs
