// The public Migrator, Borders and GhostExchange, see halyard/migrator.hpp and halyard/borders.hpp: made here, where
// the context is known; their flow is in runtime/particles/.
#include <algorithm>

#include "base/hash.hpp"
#include "context/particles/everyone.hpp"
#include "exchange/gpu/assembly.hpp"
#include "halyard/borders.hpp"
#include "halyard/migrator.hpp"
#include "particles/borders/borders_core.hpp"
#include "particles/borders/gpu/ghost_exchange.hpp"
#include "particles/migrate/migrator_core.hpp"

namespace halyard {
namespace {

// The GPU that the arrays lie on; -1: host memory.
int gpu_of(const ContextCore& core, const Particles& particles) {
  std::vector<FieldView> views;
  for (const ParticleArray& array : particles.arrays)
    if (array.data != nullptr)
      views.push_back(particles::view_of(array, std::max<std::int64_t>(particles.capacity, 1)));
  return exchange::gpu::gpu_of(views, core.device());
}

bool has_memory(const Particles& particles) {
  return std::any_of(particles.arrays.begin(), particles.arrays.end(),
                     [](const ParticleArray& array) { return array.data != nullptr; });
}

// Collective. Where all ranks' particles lie: null for host memory. Ranks without arrays take part where others have
// theirs.
std::shared_ptr<const particles::device::OnGpu> on_gpu_of(const std::shared_ptr<ContextCore>& core,
                                                          const Particles& particles,
                                                          const exchange::Surroundings& around) {
  constexpr std::uint32_t kHost = 1;
  constexpr std::uint32_t kGpu = 2;
  int gpu = -1;
  core->bootstrap().together("look where particles lie", [&] { gpu = gpu_of(*core, particles); });
  const std::uint32_t mine = gpu >= 0 ? kGpu : has_memory(particles) ? kHost : 0;
  const std::uint32_t all = core->bootstrap().any(mine);
  if (all == (kHost | kGpu))
    throw Error(StatusCode::invalid_argument,
                "look where particles lie: in GPU memory on some ranks, in host memory on others; put them into one "
                "kind of memory on all ranks");
  if (all != kGpu) return nullptr;
  auto on_gpu = std::make_shared<particles::device::OnGpu>();
  core->bootstrap().together("use particles in GPU memory", [&] {
    if (core->device() == nullptr)
      throw Error(StatusCode::not_supported,
                  "use particles in GPU memory: this process has no GPU; see HALYARD_DEVICE and Context::explain()");
    on_gpu->around = core->on_gpu(around);
    on_gpu->ordinal = gpu >= 0 ? gpu : on_gpu->around.home_gpu;
  });
  return on_gpu;
}

// Throws Error(invalid_argument) when arrays have moved to another kind of memory.
void check_memory(const ContextCore& core, const Particles& particles, int gpu) {
  const int now = gpu_of(core, particles);
  if (!has_memory(particles) || now == gpu) return;
  const auto name = [](int where) { return where < 0 ? "host memory" : "memory of GPU " + std::to_string(where); };
  throw Error(StatusCode::invalid_argument, "use arrays of particles: they lie in " + name(now) + " and were in " +
                                                name(gpu) +
                                                " when the migrator or the borders were made; keep them there");
}

template <class Core>
typename Core::Outside outside_of(const std::shared_ptr<ContextCore>& core, const Particles& particles) {
  typename Core::Outside outside;
  outside.everyone = std::make_shared<context::EveryoneOverMpi>(core);
  outside.facts = core->facts();
  outside.workers = core->workers();
  outside.around = core->next_surroundings();
  outside.on_gpu = on_gpu_of(core, particles, outside.around);
  const int gpu = outside.on_gpu == nullptr ? -1 : outside.on_gpu->ordinal;
  outside.check_memory = [core, gpu](const Particles& now) { check_memory(*core, now, gpu); };
  return outside;
}

// Throws on every rank when ranks gave different numbers: the bits that are set somewhere and those that are clear
// somewhere have none in common only if all numbers are equal.
void check_alike(context::Bootstrap& bootstrap, std::uint64_t number, const char* what) {
  const auto folded = static_cast<std::uint32_t>(number ^ number >> 32);
  if ((bootstrap.any(folded) & bootstrap.any(~folded)) != 0)
    throw Error(StatusCode::disagreement,
                std::string(what) +
                    ": ranks do not say the same; give the same domain, "
                    "options, and arrays of the same names and types in the same order on all ranks");
}

std::uint64_t bits_of(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

std::uint64_t hash_of(const ParticleDomain& domain) {
  base::Hash hash;
  for (std::size_t a = 0; a < 3; ++a) {
    hash.add(bits_of(domain.box.lo[a]))
        .add(bits_of(domain.box.hi[a]))
        .add(domain.ranks[a])
        .add(domain.periodic[a] ? 1 : 0);
    for (const double cut : domain.cuts[a]) hash.add(bits_of(cut));
  }
  return hash.value();
}

std::unique_ptr<MigratorCore> make_migrator(Context& context, const ParticleDomain& domain, Particles& particles,
                                            const MigratorOptions& options) {
  const auto& core = context.core();
  core->check_thread();
  core->sweep();
  std::unique_ptr<MigratorCore> made;
  const auto outside = outside_of<MigratorCore>(core, particles);
  core->bootstrap().together("make a migrator",
                             [&] { made = std::make_unique<MigratorCore>(domain, particles, options, outside); });
  const MigrateChecks& checks = options.checks;
  const int flags = (checks.ids ? 1 : 0) + (checks.owners ? 2 : 0) + (checks.positions ? 4 : 0);
  check_alike(core->bootstrap(), base::Hash().add(hash_of(domain)).add(made->record_hash()).add(flags).value(),
              "make a migrator");
  made->connect();
  return made;
}

std::unique_ptr<BordersCore> make_borders(Context& context, const ParticleDomain& domain, Particles& particles,
                                          const BorderOptions& options) {
  const auto& core = context.core();
  core->check_thread();
  core->sweep();
  std::unique_ptr<BordersCore> made;
  auto outside = outside_of<BordersCore>(core, particles);
  outside.next_surroundings = [weak = std::weak_ptr(core)](std::uint64_t numbers) {
    return weak.lock()->next_surroundings(numbers);
  };
  core->bootstrap().together("make borders",
                             [&] { made = std::make_unique<BordersCore>(domain, particles, options, outside); });
  check_alike(
      core->bootstrap(),
      base::Hash().add(hash_of(domain)).add(bits_of(options.reach)).add(static_cast<int>(options.shell)).value(),
      "make borders");
  made->connect();
  return made;
}

std::unique_ptr<GhostExchangeCore> make_ghost_exchange(BordersCore& borders, const std::vector<std::string>& arrays) {
  const auto& outside = borders.outside();
  const auto around = outside.next_surroundings(GhostExchangeCore::kNumbers);
  std::unique_ptr<GhostExchangeCore> made;
  outside.everyone->together("make an exchange of ghosts", [&] {
    if (outside.on_gpu == nullptr) {
      made = std::make_unique<HostGhostExchange>(borders, arrays, outside.facts, outside.workers, around);
      return;
    }
    particles::device::OnGpu on_gpu = *outside.on_gpu;
    on_gpu.around.around = around;
    made = std::make_unique<GpuGhostExchange>(borders, arrays, outside.facts, on_gpu);
  });
  const auto folded = static_cast<std::uint32_t>(made->shape_hash() ^ made->shape_hash() >> 32);
  if ((outside.everyone->any(folded) & outside.everyone->any(~folded)) != 0)
    throw Error(
        StatusCode::disagreement,
        "make an exchange of ghosts: ranks do not say the same; name the same arrays in the same order on all ranks");
  borders.add(*made);
  return made;
}

}  // namespace

Migrator::Migrator(Context& context, const ParticleDomain& domain, Particles& particles, const MigratorOptions& options)
    : core_(make_migrator(context, domain, particles, options)) {}
Migrator::Migrator(Migrator&&) noexcept = default;
Migrator& Migrator::operator=(Migrator&&) noexcept = default;
Migrator::~Migrator() = default;
Migrated Migrator::migrate(const MigrateOptions& options) { return core_->migrate(options); }
Migrated Migrator::migrate_to(std::span<const int> destinations, const MigrateOptions& options) {
  return core_->migrate_to(destinations, options);
}
void Migrator::accept_ids() { core_->accept_ids(); }
const ParticleDomain& Migrator::domain() const { return core_->domain(); }

Borders::Borders(Context& context, const ParticleDomain& domain, Particles& particles, const BorderOptions& options)
    : core_(make_borders(context, domain, particles, options)) {}
Borders::Borders(Borders&&) noexcept = default;
Borders& Borders::operator=(Borders&&) noexcept = default;
Borders::~Borders() = default;
void Borders::build() { core_->build(); }
void Borders::require_reach(double needed, std::string_view what) const { core_->require_reach(needed, what); }
double Borders::reach() const { return core_->options().reach; }
std::int64_t Borders::first_ghost() const { return core_->first_ghost(); }
std::int64_t Borders::num_ghosts() const { return core_->num_ghosts(); }
std::span<const GhostGroup> Borders::groups() const { return core_->groups(); }

GhostExchange::GhostExchange(Borders& borders, const std::vector<std::string>& arrays)
    : core_(make_ghost_exchange(borders.core(), arrays)) {}
GhostExchange::GhostExchange(GhostExchange&&) noexcept = default;
GhostExchange& GhostExchange::operator=(GhostExchange&&) noexcept = default;
GhostExchange::~GhostExchange() = default;
namespace {

// Starts what `start` says, unless the borders are not listed.
template <class Start>
Transfer started(GhostExchangeCore& core, const Start& start) {
  return {&core.binding(), core.is_listed() ? start(core.binding()) : BindingCore::kNotListed};
}

template <class Start>
Transfer started_in_reverse(GhostExchangeCore& core, const Start& start) {
  if (core.is_listed()) core.prepare_to_reverse();
  return started(core, start);
}

}  // namespace

Transfer GhostExchange::forward() {
  return started(*core_, [](BindingCore& binding) {
    return binding.start(exchange::Kind::forward, Reduce::sum, ReduceOrder::arrival);
  });
}
Transfer GhostExchange::reverse(Reduce op, ReduceOrder order) {
  return started_in_reverse(*core_,
                            [&](BindingCore& binding) { return binding.start(exchange::Kind::reverse, op, order); });
}
Transfer GhostExchange::forward(Stream stream) {
  return started(*core_, [&](BindingCore& binding) {
    return binding.start_in(stream, exchange::Kind::forward, Reduce::sum, ReduceOrder::arrival);
  });
}
Transfer GhostExchange::reverse(Stream stream, Reduce op, ReduceOrder order) {
  return started_in_reverse(
      *core_, [&](BindingCore& binding) { return binding.start_in(stream, exchange::Kind::reverse, op, order); });
}
Transfer GhostExchange::forward_and_wait_on(Stream stream) {
  return started(*core_, [&](BindingCore& binding) {
    return binding.run_in(stream, exchange::Kind::forward, Reduce::sum, ReduceOrder::arrival);
  });
}
Transfer GhostExchange::reverse_and_wait_on(Stream stream, Reduce op, ReduceOrder order) {
  return started_in_reverse(
      *core_, [&](BindingCore& binding) { return binding.run_in(stream, exchange::Kind::reverse, op, order); });
}
std::string GhostExchange::explain() const { return core_->explain(); }

}  // namespace halyard
