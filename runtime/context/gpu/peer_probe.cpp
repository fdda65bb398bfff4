// See peer_probe.hpp.
#include "context/gpu/peer_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "transport/blob.hpp"

namespace halyard::context::gpu {
namespace {

std::uint64_t random_number() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

// What one rank shows the others: a handle and the number to be found there, or why there is none.
class Sample {
 public:
  Sample(std::shared_ptr<device::Device> device, const std::string& why_none)
      : device_(std::move(device)), why_(why_none) {
    if (device_ == nullptr) return;
    try {
      ordinal_ = device_->current_gpu();
      memory_ = device_->allocate(ordinal_, sizeof(number_));
      device_->copy(memory_, &number_, sizeof(number_));
      handle_ = device_->export_memory(memory_);
    } catch (const Error& error) {
      why_ = error.what();
    }
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  ~Sample() {
    if (memory_ != nullptr) device_->deallocate(memory_);
  }

  transport::Blob blob() const {
    transport::Blob blob;
    transport::append(blob, device_ == nullptr ? device::Uuid{} : device_->uuid(device_->current_gpu()));
    transport::append_bytes(blob, handle_);
    transport::append(blob, number_);
    transport::append_text(blob, why_);
    return blob;
  }

  /// Why this rank's current GPU cannot reach the memory that a peer shows; empty when it can.
  std::string try_to_open(const transport::Blob& theirs, int peer) const {
    if (handle_.empty()) return why_;
    transport::BlobReader reader(theirs);
    (void)reader.read<device::Uuid>();
    const auto handle = reader.read_bytes();
    const auto number = reader.read<std::uint64_t>();
    const std::string why = reader.read_text();
    if (handle.empty()) return fmt::format("rank {}: {}", peer, why);
    try {
      const auto mapping = device_->open(handle, ordinal_);
      std::uint64_t found = 0;
      device_->copy(&found, mapping->data(), sizeof(found));
      if (found == number) return {};
      return fmt::format("rank {}'s GPU memory was mapped, but other bytes were found there", peer);
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::string why_;
  int ordinal_ = 0;
  void* memory_ = nullptr;
  std::uint64_t number_ = random_number();
  std::vector<std::byte> handle_;
};

// By ordinal of `device`: how many samples are of ranks whose current GPU it is.
std::vector<int> ranks_per_gpu(const std::vector<transport::Blob>& samples, const device::Device* device) {
  std::vector<int> counts(device == nullptr ? 0 : static_cast<std::size_t>(device->num_gpus()), 0);
  for (const transport::Blob& sample : samples) {
    const auto uuid = transport::BlobReader(sample).read<device::Uuid>();
    for (std::size_t gpu = 0; gpu < counts.size(); ++gpu)
      counts[gpu] += device->uuid(static_cast<int>(gpu)) == uuid ? 1 : 0;
  }
  return counts;
}

}  // namespace

PeerProbe probe_peers(Bootstrap& bootstrap, const std::vector<int>& node, const std::shared_ptr<device::Device>& device,
                      const std::string& why_none) {
  PeerProbe found;
  PathFact& fact = found.fact;
  fact.refusal = why_none;
  const std::vector<std::uint8_t> mine(static_cast<std::size_t>(bootstrap.size()), device != nullptr ? 1 : 0);
  const auto has_gpu = bootstrap.all_to_all(mine);
  if (std::count(has_gpu.begin(), has_gpu.end(), 1) == 0) return found;
  const Sample sample(device, why_none);
  const auto theirs = bootstrap.swap(node, std::vector<transport::Blob>(node.size(), sample.blob()));
  found.ranks_per_gpu = ranks_per_gpu(theirs, device.get());
  fact.is_open = device != nullptr;
  fact.reaches.assign(static_cast<std::size_t>(bootstrap.size()), 0);
  fact.unreachable = "rank is on another node";
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] == bootstrap.rank()) continue;
    const std::string why = sample.try_to_open(theirs[i], node[i]);
    if (why.empty())
      fact.reaches[static_cast<std::size_t>(node[i])] = 1;
    else
      fact.unreachable_by_rank[node[i]] = why;
  }
  bootstrap.together("probe GPU peers", [] {});  // nobody frees a sample that another rank still maps
  return found;
}

}  // namespace halyard::context::gpu
