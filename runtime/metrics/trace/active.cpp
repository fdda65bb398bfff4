// See active.hpp, and TraceRange in halyard/metrics.hpp.
#include "metrics/trace/active.hpp"

#include "halyard/metrics.hpp"
#include "metrics/trace/nvtx.hpp"

namespace halyard {
namespace metrics {
namespace {

std::atomic<Trace*> active{nullptr};

}  // namespace

std::shared_ptr<Trace> make_active(std::shared_ptr<Trace> trace) {
  Trace* none = nullptr;
  if (!active.compare_exchange_strong(none, trace.get())) return nullptr;
  Trace* const is_active = trace.get();
  return {is_active, [keeps = std::move(trace)](Trace*) { active.store(nullptr); }};
}

}  // namespace metrics

TraceRange::TraceRange(const char* name) : name_(name) {
  nvtx_ = metrics::nvtx::push(name);
  if (metrics::active.load(std::memory_order_relaxed) != nullptr) begin_ = metrics::now_ticks();
}

TraceRange::TraceRange(const char* name, Stream stream) : name_(name), stream_(stream) {
  nvtx_ = metrics::nvtx::push(name);
  metrics::Trace* const trace = metrics::active.load(std::memory_order_relaxed);
  metrics::StreamMarks* const marks = trace == nullptr ? nullptr : trace->stream_marks();
  if (marks != nullptr) mark_ = marks->begin(name, stream);
}

// Written at its end; a trace that began or ended in between knows nothing of it.
TraceRange::~TraceRange() {
  if (nvtx_) metrics::nvtx::pop();
  metrics::Trace* const trace = metrics::active.load(std::memory_order_relaxed);
  if (trace == nullptr) return;
  metrics::StreamMarks* const marks = mark_ == 0 ? nullptr : trace->stream_marks();
  if (marks != nullptr) marks->end(mark_, stream_);
  if (begin_ == 0) return;
  metrics::What what;
  what.name = name_;
  what.thread = metrics::Trace::own_thread();
  what.kind = metrics::EventKind::user;
  trace->add(what, begin_, metrics::now_ticks(), {});
}

}  // namespace halyard
