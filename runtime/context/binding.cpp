// The public Binding and HaloExchange, see halyard/exchange.hpp.
#include "context/context_core.hpp"
#include "context/gpu/bind.hpp"
#include "context/plan_check.hpp"
#include "exchange/assembly.hpp"
#include "halyard/exchange.hpp"

namespace halyard {
namespace {

std::unique_ptr<BindingCore> bind(ContextCore& core, Plan plan, std::span<const FieldView> views) {
  core.check_thread();
  core.sweep();
  context::Bootstrap& bootstrap = core.bootstrap();
  context::check_plans(bootstrap, plan);
  bootstrap.together("look where fields lie", [&] { context::gpu::check_memory(plan, views, core.device()); });
  const auto around = core.next_surroundings();
  if (plan.memory() == Memory::gpu) return context::gpu::bind(bootstrap, std::move(plan), views, core.on_gpu(around));
  std::unique_ptr<exchange::Assembly> assembly;
  std::vector<transport::Blob> blobs;
  bootstrap.together("bind fields", [&] {
    assembly = std::make_unique<exchange::Assembly>(std::move(plan), views, core.workers(), around);
    blobs = assembly->windows();
  });
  const auto ranks = assembly->remote_ranks();
  auto theirs = bootstrap.swap(ranks, blobs);
  bootstrap.together("open channels", [&] {
    assembly->open(theirs);
    blobs = assembly->addresses();
  });
  theirs = bootstrap.swap(ranks, blobs);
  std::unique_ptr<BindingCore> binding;
  bootstrap.together("connect channels", [&] { binding = assembly->connect(theirs); });
  return binding;
}

// Local to each rank and agreed on: a plan that one rank cannot make is an error everywhere.
Plan plan_for(ContextCore& core, Pattern pattern, std::span<const FieldView> views) {
  core.check_thread();
  std::unique_ptr<Plan> plan;
  const Memory memory = context::gpu::memory_of(core.bootstrap(), views, core.device());
  core.bootstrap().together("make a plan", [&] {
    const std::size_t num_patches = pattern.patches.size();
    if (num_patches == 0 || views.empty() || views.size() % num_patches != 0)
      throw Error(
          StatusCode::invalid_argument,
          "exchange " + std::to_string(views.size()) + " views on " + std::to_string(num_patches) +
              " local patch(es): give one view per field and patch, views[field * patches + patch]; a rank without "
              "patches needs a Plan and a Binding");
    std::vector<FieldShape> fields;
    for (std::size_t first = 0; first < views.size(); first += num_patches) fields.push_back(views[first].shape());
    plan = std::make_unique<Plan>(std::move(pattern), std::move(fields), core.facts(), memory);
  });
  return std::move(*plan);
}

}  // namespace

Binding::Binding(Context& context, Plan plan, std::span<const FieldView> views)
    : core_(bind(*context.core(), std::move(plan), views)) {}
Binding::Binding(Binding&&) noexcept = default;
Binding& Binding::operator=(Binding&&) noexcept = default;
Binding::~Binding() = default;

Transfer Binding::forward() {
  return {core_.get(), core_->start(exchange::Kind::forward, Reduce::sum, ReduceOrder::arrival)};
}

Transfer Binding::reverse(Reduce op, ReduceOrder order) {
  return {core_.get(), core_->start(exchange::Kind::reverse, op, order)};
}

Transfer Binding::forward(Stream stream) {
  return {core_.get(), core_->start_in(stream, exchange::Kind::forward, Reduce::sum, ReduceOrder::arrival)};
}

Transfer Binding::reverse(Stream stream, Reduce op, ReduceOrder order) {
  return {core_.get(), core_->start_in(stream, exchange::Kind::reverse, op, order)};
}

Transfer Binding::forward_and_wait_on(Stream stream) {
  return {core_.get(), core_->run_in(stream, exchange::Kind::forward, Reduce::sum, ReduceOrder::arrival)};
}

Transfer Binding::reverse_and_wait_on(Stream stream, Reduce op, ReduceOrder order) {
  return {core_.get(), core_->run_in(stream, exchange::Kind::reverse, op, order)};
}

const Plan& Binding::plan() const { return core_->plan(); }
std::string Binding::explain() const { return core_->explain(); }
std::string Binding::explain_json() const { return core_->explain_json(); }

HaloExchange::HaloExchange(Context& context, Pattern pattern, std::vector<FieldView> views)
    : binding_(context, plan_for(*context.core(), std::move(pattern), views), views) {}

}  // namespace halyard
