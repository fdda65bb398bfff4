// See peer_probe.hpp.
#include "context/gpu/peer_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "transport/blob.hpp"
#include "transport/mpi/handles.hpp"

namespace halyard::context::gpu {
namespace {

std::vector<int> ranks_of_node(Bootstrap& bootstrap) {
  const auto node = transport::mpi::split_by_node(bootstrap.comm());
  int size = 0;
  MPI_Comm_size(node.get(), &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  const int mine = bootstrap.rank();
  MPI_Allgather(&mine, 1, MPI_INT, ranks.data(), 1, MPI_INT, node.get());
  return ranks;
}

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
    transport::append_bytes(blob, handle_);
    transport::append(blob, number_);
    transport::append_text(blob, why_);
    return blob;
  }

  /// Why this rank's current GPU cannot reach the memory that a peer shows; empty when it can.
  std::string try_to_open(const transport::Blob& theirs, int peer) const {
    if (handle_.empty()) return why_;
    transport::BlobReader reader(theirs);
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

}  // namespace

PathFact probe_peers(Bootstrap& bootstrap, const std::shared_ptr<device::Device>& device, const std::string& why_none) {
  PathFact fact;
  fact.refusal = why_none;
  const std::vector<std::uint8_t> mine(static_cast<std::size_t>(bootstrap.size()), device != nullptr ? 1 : 0);
  const auto has_gpu = bootstrap.all_to_all(mine);
  if (std::count(has_gpu.begin(), has_gpu.end(), 1) == 0) return fact;
  const auto node = ranks_of_node(bootstrap);
  const Sample sample(device, why_none);
  const auto theirs = bootstrap.swap(node, std::vector<transport::Blob>(node.size(), sample.blob()));
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
  return fact;
}

std::vector<int> ranks_per_gpu(Bootstrap& bootstrap, const device::Device* device) {
  const auto node = transport::mpi::split_by_node(bootstrap.comm());
  int size = 0;
  MPI_Comm_size(node.get(), &size);
  constexpr device::Uuid kNone{};
  const device::Uuid mine = device == nullptr ? kNone : device->uuid(device->current_gpu());
  std::vector<device::Uuid> all(static_cast<std::size_t>(size));
  MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), static_cast<int>(mine.size()),
                MPI_BYTE, node.get());
  std::vector<int> counts;
  for (int gpu = 0; device != nullptr && gpu < device->num_gpus(); ++gpu)
    counts.push_back(static_cast<int>(std::count(all.begin(), all.end(), device->uuid(gpu))));
  return counts;
}

}  // namespace halyard::context::gpu
