// Meter: what one binding counts.
//
// Written by the one thread at a time that uses the binding, without lock, allocation or text; read by any thread
// through the Registry that made it. What an exchange moves is known when it is planned, so counting messages and bytes
// costs additions per path and exchange, not per message. Clocks are read in each kTimedEvery-th exchange, in all of
// them while a trace is taken, and around waits that have to wait (docs/adr/0026).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "halyard/metrics.hpp"
#include "metrics/counter.hpp"
#include "metrics/trace/trace.hpp"

namespace halyard::metrics {

class Registry;

/// What one exchange of one kind moves over one link.
struct Volume {
  bool sends = false;
  bool packs = false;  // before it sends
  bool receives = false;
  bool is_direct = false;  // received without a message buffer
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
};

/// One neighbor of a binding, with its path.
struct MeteredLink {
  int rank = 0;
  Path path = Path::self;
  Volume forward;
  Volume reverse;

  const Volume& of(bool is_reverse) const { return is_reverse ? reverse : forward; }
};

inline constexpr std::size_t kNobody = SIZE_MAX;

class Meter {
 public:
  /// Asked for with each snapshot: bytes of a link that went through host memory. May be null.
  using StagedBytes = std::function<std::uint64_t(std::size_t link)>;

  Meter(std::shared_ptr<Registry> registry, std::uint64_t binding, const std::vector<MeteredLink>& links,
        StagedBytes staged_bytes = nullptr);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter();

  /// Between two exchanges: what they move over a link from now on.
  void set_volumes(std::size_t link, const Volume& forward, const Volume& reverse);

  // ---- data path ---------------------------------------------------------------------------------------------------

  /// Whether what follows is timed: looks(), sent() and received() are only called when it is.
  bool started(std::uint64_t number) {
    is_sampled_ = number % kTimedEvery == 1;
    return is_sampled_ || trace_ != nullptr;
  }
  /// From here on links are looked at in turn.
  void looks() { boundary_ = now_ticks(); }
  void sent(std::size_t link, Step step) {
    const Ticks begin = boundary_;
    const What& what = whats_[link].pack[step.kind()];
    if (what.kind != EventKind::nothing) boundary_ = now_ticks();
    if (is_sampled_) sample_sent(link, begin, step);
    if (what.kind != EventKind::nothing && trace_ != nullptr) trace_->add(what, begin, boundary_, step);
  }
  /// The boundary before is when the message was seen: the wire ends there, and unpacking begins.
  void received(std::size_t link, Step step) {
    const What& what = whats_[link].unpack[step.kind()];
    if (what.kind == EventKind::nothing) return;
    const Ticks seen = boundary_;
    boundary_ = now_ticks();
    if (is_sampled_) sample_received(link, seen, step);
    if (trace_ != nullptr) trace_->add(what, seen, boundary_, step);
  }

  void finished(bool is_reverse);
  /// A wait that began then has come to its end. It was idle until the message of link `late` came, if of any.
  void waited(Ticks begin, Step step, std::size_t late);
  /// A call that began then has given a kernel to a GPU.
  void launched(Ticks begin, Step step) {
    if (trace_ != nullptr) trace_->add(launch_, begin, now_ticks(), step);
  }
  void failed(StatusCode code) { errors_[static_cast<std::size_t>(code)].add(1); }

  // ---- any thread --------------------------------------------------------------------------------------------------

  void add_to(Metrics& all, double tick_s) const;
  /// Mean time of the wire from this neighbor in seconds; 0 when nothing was timed.
  double mean_wire_s(std::size_t link) const;

 private:
  struct Way {
    Path path = Path::self;
    Nearness nearness = Nearness::self;
    friend bool operator==(const Way&, const Way&) = default;
  };
  /// What one exchange moves over all links of one way.
  struct Sum {
    void add(const Volume& volume);

    std::uint64_t sent_messages = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_messages = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t direct_bytes = 0;
  };
  struct Cell {
    void count(const Sum& sum);
    void add_to(PathMetrics& entry, double tick_s) const;

    Way way;
    Sum per_exchange[2];  // forward, reverse; only the thread that uses the binding looks here
    Counter sent_messages;
    Counter sent_bytes;
    Counter received_messages;
    Counter received_bytes;
    Counter direct_bytes;
    Histogram pack;
    Histogram wire;
    Histogram unpack;
  };
  struct Link {
    MeteredLink what;
    std::size_t cell = 0;
    Ticks posted = 0;
    std::uint32_t posted_step = 0;  // of which exchange
    Counter late;
    Counter num_timed;
    Counter wire_ticks;
  };

  /// What a trace says of a link's messages; nothing where nothing is copied.
  struct Whats {
    What pack[2];  // forward, reverse
    What unpack[2];
  };

  void sample_sent(std::size_t link, Ticks begin, Step step);
  void sample_received(std::size_t link, Ticks seen, Step step);
  void sum_up();
  void describe();

  const std::shared_ptr<Registry> registry_;
  const TickBounds& bounds_;
  Trace* const trace_;
  const std::uint32_t binding_;
  const StagedBytes staged_bytes_;
  std::vector<Link> links_;
  std::vector<Whats> whats_;  // by link
  std::vector<Cell> cells_;
  Counter exchanges_[2];
  Histogram exposed_;
  std::array<Counter, kNumStatusCodes> errors_;
  What wait_;
  What launch_;
  bool is_sampled_ = false;
  Ticks boundary_ = 0;
};

}  // namespace halyard::metrics
