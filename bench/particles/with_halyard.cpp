// Ways "halyard" and "halyard-user": Migrator, Borders and GhostExchange, with arrays in Halyard's memory or in the
// user's.
#include <cstdlib>
#include <cstring>

#include "halyard/borders.hpp"
#include "halyard/migrator.hpp"
#include "particles/way.hpp"

namespace halyard::bench {
namespace {

class WithHalyard final : public Way {
 public:
  WithHalyard(Context& context, const System& system, Keep keep) : context_(context), keep_(keep) {
    set_.arrays = {ParticleArray::interleaved<double>("x", nullptr, 3),
                   ParticleArray::interleaved<double>("v", nullptr, 3),
                   ParticleArray::interleaved<std::int64_t>("id", nullptr)};
    set_.id = "id";
    set_.grow = [this](Particles&, std::int64_t at_least) { grow(at_least + at_least / 2); };
    grow(static_cast<std::int64_t>(system.mine.size()));
    for (const Particle& particle : system.mine) {
      const auto i = static_cast<std::size_t>(set_.num_owned++);
      std::memcpy(data<double>(0) + 3 * i, particle.position.data(), sizeof(Point3));
      std::memcpy(data<double>(1) + 3 * i, particle.velocity.data(), sizeof(Point3));
      data<std::int64_t>(2)[i] = particle.id;
    }
    migrator_ = std::make_unique<Migrator>(context, system.domain, set_);
    borders_ = std::make_unique<Borders>(context, system.domain, set_, BorderOptions{.reach = system.reach});
    positions_ = std::make_unique<GhostExchange>(*borders_, std::vector<std::string>{"x"});
  }

  ~WithHalyard() override {
    positions_.reset();
    borders_.reset();
    migrator_.reset();
    for (ParticleArray& array : set_.arrays) release(array.data);
  }

  std::string_view name() const override { return keep_ == Keep::in_user_memory ? "halyard-user" : "halyard"; }
  Holding holding() override {
    return {data<double>(0), data<double>(1), data<std::int64_t>(2), set_.num_owned, set_.num_ghosts};
  }
  void refresh() override { positions_->forward().wait().or_throw(); }
  void borders() override {
    borders_->build();
    refresh();
  }
  void migrate() override { migrator_->migrate(); }

 private:
  template <class T>
  T* data(std::size_t array) {
    return static_cast<T*>(set_.arrays[array].data);
  }
  void* take(std::size_t bytes) {
    return keep_ == Keep::in_user_memory ? std::malloc(bytes) : context_.allocate(bytes);
  }
  void release(void* memory) {
    if (keep_ == Keep::in_user_memory)
      std::free(memory);
    else
      context_.deallocate(memory);
  }
  void grow(std::int64_t capacity) {
    for (ParticleArray& array : set_.arrays) {
      void* grown = take(static_cast<std::size_t>(capacity * array.stride_bytes));
      const auto used = static_cast<std::size_t>((set_.num_owned + set_.num_ghosts) * array.stride_bytes);
      if (used > 0) std::memcpy(grown, array.data, used);
      release(array.data);
      array.data = grown;
    }
    set_.capacity = capacity;
  }

  Context& context_;
  Keep keep_;
  Particles set_;
  std::unique_ptr<Migrator> migrator_;
  std::unique_ptr<Borders> borders_;
  std::unique_ptr<GhostExchange> positions_;
};

}  // namespace

std::unique_ptr<Way> make_with_halyard(Context& context, const System& system, Keep keep) {
  return std::make_unique<WithHalyard>(context, system, keep);
}

}  // namespace halyard::bench
