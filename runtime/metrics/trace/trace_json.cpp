// See trace_json.hpp.
#include "metrics/trace/trace_json.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/json_text.hpp"

namespace halyard::metrics {
namespace {

Step step_of(const Record& record) { return Step::of_code(record.step); }

// The same on both ends of a message, and for no other message of a run.
std::string message_id(const Record& record, int from, int to) {
  const std::uint64_t hash = base::Hash()
                                 .add(static_cast<std::uint64_t>(record.binding))
                                 .add(static_cast<std::uint64_t>(record.step))
                                 .add(from)
                                 .add(to)
                                 .value();
  return fmt::format("\"0x{:x}\"", hash);
}

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::pack:
      return "pack";
    case EventKind::unpack:
      return "unpack";
    case EventKind::wait:
      return "wait";
    case EventKind::launch:
      return "launch";
    case EventKind::room:
      return "wait for room";
    default:
      return "range";
  }
}

// Rows of GPUs come behind those of threads.
std::uint32_t row_of(const Record& record) { return record.gpu * 100'000U + record.thread; }

std::string place(int rank, const Record& record) { return fmt::format("\"pid\":{},\"tid\":{}", rank, row_of(record)); }

std::string name_of_row(const Record& record) {
  const GpuRow row = GpuRow::of_code(record.thread);
  const int ordinal = record.gpu - 1;
  switch (row.of()) {
    case GpuRow::Of::sending:
      return fmt::format("GPU {}, binding {}: sends", ordinal, record.binding);
    case GpuRow::Of::receiving:
      return fmt::format("GPU {}, binding {}: receives", ordinal, record.binding);
    default:
      return fmt::format("GPU {}, stream {} of the program", ordinal, record.thread & 0x7fffU);
  }
}

std::string arguments(const Record& record) {
  if (record.kind == EventKind::user) return {};
  std::string text =
      fmt::format("\"exchange\":\"{} {}\",\"binding\":{}", step_of(record).is_reverse() ? "reverse" : "forward",
                  step_of(record).number(), record.binding);
  if (record.peer != kNoPeer) text += fmt::format(",\"neighbor\":{}", record.peer);
  if (record.peer != kNoPeer || record.bytes != 0) text += fmt::format(",\"bytes\":{}", record.bytes);
  return fmt::format(",\"args\":{{{}}}", text);
}

}  // namespace

std::int64_t Offset::shifted(std::int64_t ns) const {
  const double span = static_cast<double>(end_ns - begin_ns);
  const double part = span > 0 ? static_cast<double>(ns - begin_ns) / span : 0;
  return ns + static_cast<std::int64_t>(at_begin_ns + (at_end_ns - at_begin_ns) * part);
}

TraceJson::TraceJson(Sink sink, std::int64_t origin_ns) : sink_(std::move(sink)), origin_ns_(origin_ns) {
  sink_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

void TraceJson::finish() { sink_("\n]}\n"); }

void TraceJson::event(const std::string& members) {
  sink_(fmt::format("{}{{{}}}", is_first_ ? "" : ",\n", members));
  is_first_ = false;
}

std::string TraceJson::micros(std::int64_t ns) const {
  return fmt::format("{:.3f}", static_cast<double>(ns - origin_ns_) * 1e-3);
}

void TraceJson::add_names(const RankTrace& trace) {
  event(
      fmt::format("\"ph\":\"M\",\"pid\":{0},\"name\":\"process_name\",\"args\":{{\"name\":\"rank {0}\"}}", trace.rank));
  event(fmt::format("\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{0}}}",
                    trace.rank));
  std::string labels = trace.dropped > 0 ? fmt::format("{} older events dropped", trace.dropped) : "";
  for (const GpuClock& clock : trace.gpu_clocks)
    labels +=
        fmt::format("{}GPU {}: times within {:.1f} us of the host's, in steps of {} ns", labels.empty() ? "" : "; ",
                    clock.gpu - 1, static_cast<double>(clock.within_ns) * 1e-3, clock.step_ns);
  if (!labels.empty())
    event(fmt::format("\"ph\":\"M\",\"pid\":{},\"name\":\"process_labels\",\"args\":{{\"labels\":\"{}\"}}", trace.rank,
                      labels));
}

// Each row of a GPU is named when its first event comes.
void TraceJson::add_row(int rank, const Record& record) {
  if (record.gpu == 0 || !rows_.insert(row_of(record)).second) return;
  const std::string where = place(rank, record);
  event(
      fmt::format("\"ph\":\"M\",{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}", where, name_of_row(record)));
  event(fmt::format("\"ph\":\"M\",{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}", where,
                    row_of(record)));
}

void TraceJson::add(const RankTrace& trace, const Offset& offset) {
  add_names(trace);
  posted_.clear();
  rows_.clear();
  for (const Record& own : trace.records) {
    Record record = own;
    record.begin_ns = offset.shifted(own.begin_ns);
    record.end_ns = offset.shifted(own.end_ns);
    add_row(trace.rank, record);
    add_slice(trace, record);
    if (record.gpu != 0) add_gpu_wire(trace.rank, record);
    if (record.peer == kNoPeer || record.peer == trace.rank) continue;
    if (record.kind == EventKind::pack) add_sent(trace.rank, record);
    if (record.kind == EventKind::unpack) add_received(trace.rank, record);
  }
}

void TraceJson::add_slice(const RankTrace& trace, const Record& record) {
  const bool is_own = record.kind == EventKind::user && record.name < trace.names.size();
  event(fmt::format("\"ph\":\"X\",{},\"ts\":{},\"dur\":{:.3f},\"name\":{},\"cat\":\"{}\"{}", place(trace.rank, record),
                    micros(record.begin_ns), static_cast<double>(record.end_ns - record.begin_ns) * 1e-3,
                    base::json_text(is_own ? trace.names[record.name] : name_of(record.kind)),
                    is_own ? "program" : "halyard", arguments(record)));
}

void TraceJson::add_sent(int rank, const Record& record) {
  posted_[{record.binding, record.step, record.peer}] = record.end_ns;
  event(fmt::format("\"ph\":\"s\",{},\"ts\":{},\"name\":\"message\",\"cat\":\"message\",\"id\":{}", place(rank, record),
                    micros(record.end_ns), message_id(record, rank, record.peer)));
}

void TraceJson::add_received(int rank, const Record& record) {
  const std::string id = message_id(record, record.peer, rank);
  const std::string where = place(rank, record);
  event(fmt::format("\"ph\":\"f\",\"bp\":\"e\",{},\"ts\":{},\"name\":\"message\",\"cat\":\"message\",\"id\":{}", where,
                    micros(record.begin_ns), id));
  add_wire(rank, record, fmt::format("wire, rank {}", record.peer), id);
}

// A kernel knows when the last message had gone, and when the last one was there.
void TraceJson::add_gpu_wire(int rank, const Record& record) {
  if (record.kind == EventKind::pack) posted_[{record.binding, record.step, kNoPeer}] = record.end_ns;
  if (record.kind == EventKind::unpack) add_wire(rank, record, "wire", message_id(record, rank, kNoPeer));
}

void TraceJson::add_wire(int rank, const Record& record, const std::string& what, const std::string& id) {
  const auto own = posted_.find({record.binding, record.step, record.peer});
  if (own == posted_.end() || own->second > record.begin_ns) return;
  const std::string where = place(rank, record);
  const std::string name = fmt::format("\"name\":\"{}\",\"cat\":\"wire\",\"id\":{}", what, id);
  event(fmt::format("\"ph\":\"b\",{},\"ts\":{},{}", where, micros(own->second), name));
  event(fmt::format("\"ph\":\"e\",{},\"ts\":{},{}", where, micros(record.begin_ns), name));
  posted_.erase(own);
}

}  // namespace halyard::metrics
