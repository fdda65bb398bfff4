// See last_words.hpp.
#include "context/observe/last_words.hpp"

#include <cstdio>
#include <memory>
#include <numeric>

#include "base/log.hpp"
#include "context/observe/report_page.hpp"
#include "metrics/output/new_file.hpp"
#include "metrics/trace/trace_json.hpp"

namespace halyard::context {
namespace {

metrics::Offset offset_of(const ClockReading& first, const ClockReading& last) {
  // A rank that was not heard at the beginning has only what was seen at the end.
  const ClockReading& begin = first.at_ns != 0 ? first : last;
  return {static_cast<double>(begin.offset_ns), static_cast<double>(last.offset_ns), begin.at_ns, last.at_ns};
}

// The trace while it is put together: one rank after another.
class TraceWriter {
 public:
  TraceWriter(const OutputOptions& wishes, const metrics::Writer& writer, const std::vector<ClockReading>& first)
      : file_(metrics::output_name("HALYARD_TRACE", wishes.trace, writer, metrics::Files::one)),
        first_(first),
        json_([this](const std::string& text) { file_.write(text); }, first.empty() ? 0 : first[0].at_ns) {}

  void add(const Said& said, const metrics::RankTrace& trace) {
    const auto rank = static_cast<std::size_t>(said.rank);
    json_.add(trace, offset_of(rank < first_.size() ? first_[rank] : ClockReading{}, said.clock));
  }
  void finish() {
    json_.finish();
    file_.publish();
  }

 private:
  metrics::NewFile file_;
  const std::vector<ClockReading>& first_;
  metrics::TraceJson json_;
};

}  // namespace

void LastWords::say(Talk& talk, const Account& mine, double seconds) {
  std::vector<Metrics> heard;
  std::unique_ptr<TraceWriter> trace;
  std::string wrong;
  if (talk.rank() == 0 && !wishes_.trace.empty()) {
    try {
      trace = std::make_unique<TraceWriter>(wishes_, writer_, first_clocks_);
    } catch (const Error& error) {
      base::log_error(std::string("goes on without a trace: ") + error.what());
    }
  }
  const auto missing = collect(talk, packed(mine), seconds, [&](const Said& said) {
    const Account account = unpacked(said.bytes);
    heard.push_back(account.metrics);
    if (trace != nullptr) trace->add(said, account.trace);
  });
  if (talk.rank() != 0) return;
  if (trace != nullptr) trace->finish();
  write_report(heard, missing);
}

void LastWords::say_alone(const Account& mine) {
  if (writer_.rank != 0) return;
  std::vector<int> missing(static_cast<std::size_t>(writer_.num_ranks - 1));
  std::iota(missing.begin(), missing.end(), 1);
  if (!wishes_.trace.empty()) {
    TraceWriter trace(wishes_, writer_, first_clocks_);
    trace.add({0, {first_clocks_.empty() ? 0 : first_clocks_[0].at_ns, 0}, {}}, mine.trace);
    trace.finish();
  }
  write_report({mine.metrics}, missing);
}

void LastWords::write_report(const std::vector<Metrics>& heard, const std::vector<int>& missing) const {
  if (wishes_.report.empty()) return;
  const std::string page = report_page(heard, missing);
  if (wishes_.report == "-" || wishes_.report == "stderr") {
    std::fputs(page.c_str(), stderr);
    return;
  }
  metrics::replace_file(metrics::output_name("HALYARD_REPORT", wishes_.report, writer_, metrics::Files::one), page);
}

}  // namespace halyard::context
