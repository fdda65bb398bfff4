// EveryoneOverMpi: particles::Everyone over a context's bootstrap. Keeps the context alive. One thread at a time.
#pragma once

#include <memory>

#include "context/context_core.hpp"
#include "particles/everyone.hpp"

namespace halyard::context {

class EveryoneOverMpi final : public particles::Everyone {
 public:
  explicit EveryoneOverMpi(std::shared_ptr<ContextCore> core) : core_(std::move(core)) {}

  int rank() const override { return bootstrap().rank(); }
  int size() const override { return bootstrap().size(); }
  std::uint32_t any(std::uint32_t bits) override { return bootstrap().any(bits); }
  void together(const char* what, const std::function<void()>& step) override { bootstrap().together(what, step); }
  std::vector<transport::Blob> swap(const std::vector<int>& ranks, std::vector<transport::Blob> blobs) override {
    return bootstrap().swap(ranks, std::move(blobs));
  }
  std::vector<particles::Parcel> deliver(std::vector<particles::Parcel> parcels) override;

 private:
  Bootstrap& bootstrap() const { return core_->bootstrap(); }

  std::shared_ptr<ContextCore> core_;
};

}  // namespace halyard::context
