// Borders, GhostExchange: ghosts of particles within reach of a rank's box, and what is exchanged for them.
//
// build() decides which owned particles neighbors hold as ghosts, and appends this rank's ghosts to its own particles;
// between builds a GhostExchange refreshes arrays as often as the caller likes: forward, from owner to ghosts, adds the
// box length to positions that came across a periodic edge; reverse adds what ghosts hold to their owner. Ghosts lie in
// the order of the ranks they come from, in the same order in every run. A reach may go over several ranks and, on
// periodic axes, over several images, of this rank too.
//
// Particles in GPU memory: exchanges only enqueue, and no host is in their way; build() works after all that is in the
// default stream, and returns when the lists are there: whatever other streams do with positions must have ended.
//
// One thread at a time. Exchanges run as those of a Binding do (exchange.hpp): between start and wait nothing that
// takes part may be written; up to kMaxInFlight of one GhostExchange, and any number of GhostExchanges, may be in
// flight.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/context.hpp"
#include "halyard/exchange.hpp"
#include "halyard/export.hpp"
#include "halyard/particle_domain.hpp"
#include "halyard/particles.hpp"

namespace halyard {

/// `full`: ghosts all around. `half`: of two particles on different ranks (or images) within reach of each other, one
/// rank holds the other's as a ghost: the one that lies lower (z, then y, then x decide) sees the higher one.
enum class Shell { full, half };

class Borders;

struct BorderOptions {
  double reach = 0;  // cut-off plus skin
  Shell shell = Shell::full;
  /// Ghosts of several reaches side by side: these ghosts follow those of `after`, which is built before.
  const Borders* after = nullptr;
};

/// The ghosts that came from one rank across one periodic edge (or none).
struct GhostGroup {
  int rank = 0;            // their owner
  Point3 shift{0, 0, 0};   // added to their positions
  std::int64_t first = 0;  // element of the first one
  std::int64_t count = 0;
};

class BordersCore;

class HALYARD_API Borders {
 public:
  /// Collective. Keeps a reference to `particles`. Throws Error(invalid_argument) for a reach that is not positive, or
  /// longer than what 31 parts of the domain on an axis give.
  Borders(Context& context, const ParticleDomain& domain, Particles& particles, const BorderOptions& options);
  Borders(Borders&&) noexcept;
  Borders& operator=(Borders&&) noexcept;
  ~Borders();

  /// Collective. Lists the ghosts anew, from particles that their owners hold (after a migrate). Sets
  /// particles.num_ghosts and calls particles.grow where that is needed. No exchange of its GhostExchanges may be in
  /// flight. Only counts and indices travel: forward() brings positions.
  void build();

  /// Throws Error(invalid_argument), the same on every rank, when interactions of length `needed` (bonds, a longer
  /// cut-off) do not fit into the reach; names the reach that would do.
  void require_reach(double needed, std::string_view what) const;

  double reach() const;
  std::int64_t first_ghost() const;
  std::int64_t num_ghosts() const;
  /// In the order of elements.
  std::span<const GhostGroup> groups() const;

  BordersCore& core() const { return *core_; }

 private:
  std::unique_ptr<BordersCore> core_;
};

class GhostExchangeCore;

class HALYARD_API GhostExchange {
 public:
  /// Collective. `arrays` are names of the particles' arrays, exchanged together in one message per neighbor. Those
  /// that hold positions are shifted by forward() where they cross a periodic edge. Must not outlive its Borders.
  GhostExchange(Borders& borders, const std::vector<std::string>& arrays);
  GhostExchange(GhostExchange&&) noexcept;
  GhostExchange& operator=(GhostExchange&&) noexcept;
  /// Local. Waits for exchanges that are still running, within the deadline.
  ~GhostExchange();

  /// Starts an exchange and returns at once. All ranks start the same ones in the same order. A failure is reported by
  /// the Transfer.
  [[nodiscard]] Transfer forward();
  [[nodiscard]] Transfer reverse(Reduce op = Reduce::sum, ReduceOrder order = ReduceOrder::arrival);

  /// Arrays in GPU memory: the same in stream order; see exchange.hpp. At most two are in flight.
  [[nodiscard]] Transfer forward(Stream stream);
  [[nodiscard]] Transfer reverse(Stream stream, Reduce op = Reduce::sum, ReduceOrder order = ReduceOrder::arrival);
  /// Both halves in one launch, where nothing is to be computed between them.
  [[nodiscard]] Transfer forward_and_wait_on(Stream stream);
  [[nodiscard]] Transfer reverse_and_wait_on(Stream stream, Reduce op = Reduce::sum,
                                             ReduceOrder order = ReduceOrder::arrival);

  /// Per neighbor: path, form, bytes as of the last build, better paths refused.
  std::string explain() const;

 private:
  std::unique_ptr<GhostExchangeCore> core_;
};

}  // namespace halyard
