// See live_root.hpp.
#include "doctor/live_root.hpp"

#include "device/factory.hpp"
#include "diagnose/container/cross_memory_trial.hpp"
#include "halyard/status.hpp"
#include "transport/verbs/device/gpu_trial.hpp"

namespace halyard::doctor {
namespace {

std::string register_gpu_page() {
  const auto opened = device::open("auto");
  if (opened.device == nullptr) throw Error(StatusCode::not_supported, "open the GPU: " + opened.text);
  return transport::verbs::try_gpu_memory(*opened.device);
}

}  // namespace

std::unique_ptr<facts::LiveRoot> live_root() {
  auto root = std::make_unique<facts::LiveRoot>();
  root->add_trial("cross-memory", &diagnose::container::try_cross_memory);
  root->add_trial("register-gpu-page", &register_gpu_page);
  return root;
}

}  // namespace halyard::doctor
