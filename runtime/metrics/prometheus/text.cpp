// A snapshot as Prometheus text, see halyard/metrics.hpp; the format is the one of
// https://prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4.
#include <fmt/format.h>

#include <iterator>

#include "metrics/prometheus/families.hpp"

namespace halyard {
namespace {

using metrics::Family;
using metrics::FamilyKind;
using metrics::Sample;

std::string number_text(double number) { return fmt::format("{:.15g}", number); }

// Label values are our own words and numbers, in which nothing needs escaping.
std::string label_text(const Sample& sample, const std::string& bound = "") {
  std::string text;
  for (const auto& [name, value] : sample.labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, value);
  return bound.empty() ? text : fmt::format("{},le=\"{}\"", text, bound);
}

void add_histogram(const Family& family, const Sample& sample, std::string& text) {
  const Distribution& times = *sample.times;
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < times.counts.size(); ++i) {
    so_far += times.counts[i];
    const std::string bound = i < kTimeBounds.size() ? number_text(kTimeBounds[i]) : "+Inf";
    fmt::format_to(std::back_inserter(text), "{}_bucket{{{}}} {}\n", family.name, label_text(sample, bound), so_far);
  }
  fmt::format_to(std::back_inserter(text), "{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", family.name,
                 label_text(sample), number_text(times.sum_s), so_far);
}

void add(const Family& family, std::string& text) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} {2}\n", family.name, family.help,
                 name_of(family.kind));
  for (const Sample& sample : family.samples) {
    if (family.kind == FamilyKind::histogram)
      add_histogram(family, sample, text);
    else
      fmt::format_to(std::back_inserter(text), "{}{{{}}} {}\n", family.name, label_text(sample),
                     number_text(sample.value));
  }
}

}  // namespace

std::string prometheus_text(const Metrics& metrics) {
  std::string text;
  for (const Family& family : metrics::families_of(metrics)) add(family, text);
  return text;
}

}  // namespace halyard
