// See openings.hpp.
#include "device/openings.hpp"

#include <utility>

namespace halyard::device {
namespace {

class OpenedMapping final : public Mapping {
 public:
  OpenedMapping(std::shared_ptr<Opening> opening, std::size_t offset)
      : opening_(std::move(opening)), data_(opening_->base() + offset) {}
  std::byte* data() const override { return data_; }

 private:
  std::shared_ptr<Opening> opening_;
  std::byte* data_;
};

class DirectMapping final : public Mapping {
 public:
  explicit DirectMapping(std::byte* data) : data_(data) {}
  std::byte* data() const override { return data_; }

 private:
  std::byte* data_;
};

}  // namespace

std::shared_ptr<Mapping> Openings::open(const OpeningKey& key, std::size_t offset, const Make& make) {
  const std::lock_guard lock(mutex_);  // held while mapping: a second thread must not map the same allocation
  std::erase_if(open_, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<Opening> opening;
  if (const auto found = open_.find(key); found != open_.end()) opening = found->second.lock();
  if (!opening) {
    opening = make();
    open_[key] = opening;
  }
  return std::make_shared<OpenedMapping>(std::move(opening), offset);
}

std::shared_ptr<Mapping> direct_mapping(std::byte* data) { return std::make_shared<DirectMapping>(data); }

}  // namespace halyard::device
