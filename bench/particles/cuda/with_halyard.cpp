// Ways "halyard" and "halyard-stream" on a GPU: Migrator, Borders and GhostExchange with arrays in GPU memory; the host
// waits for each refresh, or refreshes follow each other in a stream.
#include <utility>
#include <vector>

#include "halo/cuda/handles.hpp"
#include "halyard/borders.hpp"
#include "halyard/migrator.hpp"
#include "particles/way.hpp"

namespace halyard::bench {
namespace {

class WithHalyardOnGpu final : public Way {
 public:
  WithHalyardOnGpu(Context& context, const System& system, Wait wait) : wait_(wait), stream_(make_stream()) {
    set_.arrays = {ParticleArray::interleaved<double>("x", nullptr, 3),
                   ParticleArray::interleaved<double>("v", nullptr, 3),
                   ParticleArray::interleaved<std::int64_t>("id", nullptr)};
    set_.id = "id";
    set_.grow = [this](Particles&, std::int64_t at_least) { grow(at_least + at_least / 2); };
    for (const Particle& particle : system.mine) {
      x_.insert(x_.end(), particle.position.begin(), particle.position.end());
      v_.insert(v_.end(), particle.velocity.begin(), particle.velocity.end());
      id_.push_back(particle.id);
    }
    grow(static_cast<std::int64_t>(system.mine.size()));
    set_.num_owned = set_.capacity < 1 ? 0 : static_cast<std::int64_t>(system.mine.size());
    copy(set_.arrays[0].data, x_.data(), x_.size() * sizeof(double));
    copy(set_.arrays[1].data, v_.data(), v_.size() * sizeof(double));
    copy(set_.arrays[2].data, id_.data(), id_.size() * sizeof(std::int64_t));
    migrator_ = std::make_unique<Migrator>(context, system.domain, set_);
    borders_ = std::make_unique<Borders>(context, system.domain, set_, BorderOptions{.reach = system.reach});
    positions_ = std::make_unique<GhostExchange>(*borders_, std::vector<std::string>{"x"});
  }

  std::string_view name() const override { return wait_ == Wait::each_time ? "halyard" : "halyard-stream"; }

  Holding holding() override {
    const auto all = static_cast<std::size_t>(set_.num_owned + set_.num_ghosts);
    const auto owned = static_cast<std::size_t>(set_.num_owned);
    finish();
    x_.resize(3 * all);
    v_.resize(3 * owned);
    id_.resize(owned);
    copy(x_.data(), set_.arrays[0].data, x_.size() * sizeof(double));
    copy(v_.data(), set_.arrays[1].data, v_.size() * sizeof(double));
    copy(id_.data(), set_.arrays[2].data, id_.size() * sizeof(std::int64_t));
    return {x_.data(), v_.data(), id_.data(), set_.num_owned, set_.num_ghosts};
  }
  void put_back() override { copy(set_.arrays[0].data, x_.data(), x_.size() * sizeof(double)); }

  void refresh() override {
    transfer_ = positions_->forward_and_wait_on(stream_.get());
    is_running_ = true;
    if (wait_ == Wait::each_time) finish();
  }
  void finish() override {
    if (std::exchange(is_running_, false)) transfer_.wait().or_throw();
  }
  void borders() override {
    finish();
    borders_->build();
    refresh();
    finish();
  }
  void migrate() override { migrator_->migrate(); }

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy particles");
  }
  void grow(std::int64_t capacity) {
    const auto used = static_cast<std::size_t>(set_.num_owned + set_.num_ghosts);
    std::vector<DeviceArray<std::byte>> grown;
    for (ParticleArray& array : set_.arrays) {
      const auto stride = static_cast<std::size_t>(array.stride_bytes);
      grown.push_back(allocate_device<std::byte>(static_cast<std::size_t>(capacity) * stride));
      copy(grown.back().get(), array.data, used * stride);
      array.data = grown.back().get();
    }
    arrays_ = std::move(grown);
    set_.capacity = capacity;
  }

  Wait wait_;
  OwnedStream stream_;
  Particles set_;
  std::vector<DeviceArray<std::byte>> arrays_;
  std::vector<double> x_;
  std::vector<double> v_;
  std::vector<std::int64_t> id_;
  std::unique_ptr<Migrator> migrator_;
  std::unique_ptr<Borders> borders_;
  std::unique_ptr<GhostExchange> positions_;
  Transfer transfer_;
  bool is_running_ = false;
};

}  // namespace

std::unique_ptr<Way> make_with_halyard_on_gpu(Context& context, const System& system, Wait wait) {
  return std::make_unique<WithHalyardOnGpu>(context, system, wait);
}

}  // namespace halyard::bench
