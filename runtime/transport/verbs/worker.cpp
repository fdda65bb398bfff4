// See worker.hpp.
#include "transport/verbs/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "halyard/status.hpp"
#include "transport/verbs/channel.hpp"

namespace halyard::transport::verbs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFarewellTime{500};  // what a closing worker grants to what is under way
constexpr std::chrono::seconds kProofTime{5};
constexpr std::int64_t kMostInPlace = 1 << 30;     // what a device writes at once is not less
constexpr std::uint64_t kProofTag = 0x70726f6f66;  // "proof"

Rails opened(const Settings& settings) {
  const PortWish wish{settings.options.device, own_numa_node(), settings.rank_on_node};
  Rails rails;
  for (const PortFacts& port : choose_ports(list_ports(), wish))
    rails.push_back(std::make_unique<Rail>(port, settings));
  return rails;
}

}  // namespace

VerbsWorker::VerbsWorker(const Settings& settings) : settings_(settings), rails_(opened(settings)) { prove_rails(); }

VerbsWorker::~VerbsWorker() {
  const auto end = Clock::now() + kFarewellTime;
  sweep();
  while (!retired_.empty() && Clock::now() < end) {
    std::this_thread::yield();
    sweep();
  }
}

/// A device that is listed, open and active may still not carry a byte (no route, a firewall in the virtual switch, a
/// provider that does not fit the kernel), and would show it only as a time-out in the application.
void VerbsWorker::prove_rails() {
  constexpr slab::Layout layout{sizeof(kProofTag), sizeof(kProofTag)};
  auto completions = std::make_shared<Completions>(rails_);
  Link left(0, layout, rails_, completions);
  Link right(0, layout, rails_, completions);
  left.connect(right.end(), settings_);
  right.connect(left.end(), settings_);
  left.slab().to_send(1) = {1, kProofTag, sizeof(kProofTag), 0};
  left.send_message(1);
  const auto end = Clock::now() + kProofTime;
  auto& arrived = right.slab().control().arrived[1];
  while (slab::read_shared(arrived) != 1 && left.state() == SlabLink::State::good && Clock::now() < end)
    completions->take_in();
  if (slab::read_shared(arrived) == 1 && right.slab().received(1).tag == kProofTag) return;
  throw Error(
      StatusCode::not_supported,
      fmt::format("write from {} to itself, to see that it works: {}; try 'ibv_rc_pingpong -d {} -g {}' on this "
                  "node",
                  describe(), left.state() == SlabLink::State::good ? "nothing arrived" : left.state_text(),
                  rails_[0]->name().substr(0, rails_[0]->name().find(':')), rails_[0]->gid().index));
}

std::unique_ptr<Channel> VerbsWorker::open(const ChannelSpec& spec) {
  SlabChannel::check(spec, "verbs");
  sweep();
  return std::make_unique<VerbsChannel>(*this, spec);
}

std::unique_ptr<Link> VerbsWorker::make_link(const ChannelSpec& spec, slab::Layout layout) {
  const std::lock_guard lock(set_up_);
  auto completions = completions_[spec.binding].lock();
  if (completions == nullptr) completions_[spec.binding] = completions = std::make_shared<Completions>(rails_);
  return std::make_unique<Link>(spec.peer, layout, rails_, std::move(completions), spec.on_gpu, spec.unpacked);
}

void VerbsWorker::retire(std::unique_ptr<Link> link) {
  const std::lock_guard lock(set_up_);
  link->say_farewell();
  retired_.push_back(std::move(link));
}

void VerbsWorker::sweep() {
  const std::lock_guard lock(set_up_);
  for (const auto& link : retired_) link->say_farewell();
  std::erase_if(retired_, [](const auto& link) { return link->is_over(); });
  std::erase_if(completions_, [](const auto& entry) { return entry.second.expired(); });
}

std::string VerbsWorker::why_no_gpu_slots() const {
  return settings_.device == nullptr ? "this process has no GPU" : std::string();
}

std::size_t VerbsWorker::most_parts() const {
  if (settings_.options.in_place_bytes < 0) return 0;
  std::size_t most = Gather::kMostParts;
  for (const auto& rail : rails_) most = std::min(most, static_cast<std::size_t>(rail->max_pieces()) - 1);
  return most;
}

// docs/adr/0045 has the measurements.
std::string VerbsWorker::why_pack(std::int64_t bytes, std::size_t num_parts) const {
  const std::int64_t least = settings_.options.in_place_bytes;
  if (bytes < least) return fmt::format("packed: less than {} bytes", least);
  if (bytes > kMostInPlace) return fmt::format("packed: more than {} bytes", kMostInPlace);
  if (bytes < static_cast<std::int64_t>(num_parts) * (least / 4))
    return fmt::format("packed: {} pieces, of less than {} bytes on average", num_parts, least / 4);
  return {};
}

memory::CacheCounters VerbsWorker::registrations() const {
  memory::CacheCounters all;
  for (const auto& rail : rails_) all += rail->cache().counters();
  return all;
}

std::string VerbsWorker::describe() const {
  std::string text;
  for (const auto& rail : rails_) text += (text.empty() ? "" : " and ") + rail->describe();
  return text;
}

Fabric VerbsWorker::fabric() const { return rails_[0]->fabric(); }

}  // namespace halyard::transport::verbs
