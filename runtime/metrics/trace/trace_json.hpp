// TraceJson: the ranks' traces as one file in the format of chrome://tracing, which Perfetto reads
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). One rank after another is put in,
// so that no more than one is in memory; one thread.
//
// A rank is a process, a thread a thread. Packing, unpacking, waits and the program's own ranges are slices; a message
// is an arrow from the end of packing to the beginning of unpacking on the other rank; the wire of a message, from
// posting this rank's own one to the arrival of the neighbor's, is an asynchronous slice.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "metrics/trace/record.hpp"

namespace halyard::metrics {

/// How a rank's clock stands to that of the file: what is added to its nanoseconds, which may drift.
struct Offset {
  double at_begin_ns = 0;  // what is added at begin_ns
  double at_end_ns = 0;    // and at end_ns
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t shifted(std::int64_t ns) const;
};

class TraceJson {
 public:
  using Sink = std::function<void(const std::string&)>;

  /// `origin_ns`: time 0 of the file, on its clock.
  TraceJson(Sink sink, std::int64_t origin_ns);
  void add(const RankTrace& trace, const Offset& offset);
  void finish();

 private:
  void event(const std::string& members);
  void add_names(const RankTrace& trace);
  void add_slice(const RankTrace& trace, const Record& record);
  void add_sent(int rank, const Record& record);
  void add_received(int rank, const Record& record);
  void add_row(int rank, const Record& record);
  void add_gpu_wire(int rank, const Record& record);
  void add_wire(int rank, const Record& record, const std::string& what, const std::string& id);
  std::string micros(std::int64_t ns) const;

  Sink sink_;
  std::int64_t origin_ns_;
  bool is_first_ = true;
  std::set<std::uint32_t> rows_;  // of the rank that is added: those of GPUs that have their name
  /// Of the rank that is added: when its message of (binding, step, neighbor) went.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::int64_t> posted_;
};

}  // namespace halyard::metrics
