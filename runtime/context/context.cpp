// The public Context, see halyard/context.hpp.
#include "halyard/context.hpp"

#include "context/context_core.hpp"
#include "halyard/metrics.hpp"

namespace halyard {

Context::Context(MPI_Comm comm, const Options& options) : core_(std::make_shared<ContextCore>(comm, options)) {}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

int Context::rank() const { return core_->bootstrap().rank(); }
int Context::size() const { return core_->bootstrap().size(); }
const Options& Context::options() const { return core_->options(); }
const PathFacts& Context::facts() const { return core_->facts(); }

void* Context::allocate(std::size_t bytes) { return core_->memory().take(bytes); }
void Context::deallocate(void* memory) noexcept { core_->memory().give_back(memory); }
std::pmr::memory_resource* Context::memory() const { return &core_->memory(); }

std::string Context::explain() const { return core_->explain(); }

Metrics metrics_of(const Context& context) { return context.core()->metrics().snapshot(); }

std::vector<Patch> gather_patches(Context& context, const std::vector<Box>& mine) {
  context.core()->check_thread();
  const auto by_rank = context.core()->bootstrap().all_to_all_lists(
      std::vector<std::vector<Box>>(static_cast<std::size_t>(context.size()), mine));
  std::vector<Patch> patches;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    for (const Box& box : by_rank[rank]) patches.push_back({static_cast<int>(rank), box});
  return patches;
}

}  // namespace halyard
