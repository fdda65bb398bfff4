// See factory.hpp.
#include "transport/faulty/channel.hpp"

namespace halyard::transport::faulty {
namespace {

class FaultyWorker final : public ForwardingWorker {
 public:
  FaultyWorker(std::unique_ptr<Worker> inner, const FaultPlan& plan)
      : ForwardingWorker(std::move(inner)), plan_(plan) {}

  std::unique_ptr<transport::Channel> open(const ChannelSpec& spec) override {
    auto channel = inner().open(spec);
    if (plan_.fault == Fault::none || (plan_.peer >= 0 && plan_.peer != spec.peer)) return channel;
    return std::make_unique<Channel>(std::move(channel), spec, plan_);
  }

 private:
  FaultPlan plan_;
};

}  // namespace

std::unique_ptr<Worker> wrap(std::unique_ptr<Worker> inner, const FaultPlan& plan) {
  return std::make_unique<FaultyWorker>(std::move(inner), plan);
}

}  // namespace halyard::transport::faulty
