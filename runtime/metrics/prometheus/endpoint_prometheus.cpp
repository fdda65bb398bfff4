// The endpoint of a build that found prometheus-cpp: its Exposer, fed with our families.
#include <fmt/format.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

#include <limits>
#include <utility>

#include "halyard/status.hpp"
#include "metrics/prometheus/endpoint.hpp"
#include "metrics/prometheus/families.hpp"

namespace halyard::metrics {
namespace {

prometheus::MetricType type_of(FamilyKind kind) {
  switch (kind) {
    case FamilyKind::counter:
      return prometheus::MetricType::Counter;
    case FamilyKind::gauge:
      return prometheus::MetricType::Gauge;
    case FamilyKind::histogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric::Histogram histogram_of(const Distribution& times) {
  prometheus::ClientMetric::Histogram histogram;
  histogram.sample_sum = times.sum_s;
  for (std::size_t i = 0; i < times.counts.size(); ++i) {
    histogram.sample_count += times.counts[i];
    const double bound = i < kTimeBounds.size() ? kTimeBounds[i] : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({histogram.sample_count, bound});
  }
  return histogram;
}

prometheus::ClientMetric metric_of(const Sample& sample) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
  metric.counter.value = metric.gauge.value = sample.value;
  if (sample.times != nullptr) metric.histogram = histogram_of(*sample.times);
  return metric;
}

class Collected final : public prometheus::Collectable {
 public:
  explicit Collected(std::function<Metrics()> snapshot) : snapshot_(std::move(snapshot)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    const Metrics metrics = snapshot_();
    std::vector<prometheus::MetricFamily> result;
    for (const Family& family : families_of(metrics)) {
      result.push_back({std::string(family.name), std::string(family.help), type_of(family.kind), {}});
      for (const Sample& sample : family.samples) result.back().metric.push_back(metric_of(sample));
    }
    return result;
  }

 private:
  std::function<Metrics()> snapshot_;
};

class Exposed final : public Endpoint {
 public:
  Exposed(const Address& address, std::function<Metrics()> snapshot)
      : collected_(std::make_shared<Collected>(std::move(snapshot))), exposer_(address.text(), kThreads) {
    exposer_.RegisterCollectable(collected_);
  }

 private:
  static constexpr std::size_t kThreads = 1;

  std::shared_ptr<Collected> collected_;
  prometheus::Exposer exposer_;
};

}  // namespace

std::unique_ptr<Endpoint> Endpoint::open(const Address& address, std::function<Metrics()> snapshot) {
  try {
    return std::make_unique<Exposed>(address, std::move(snapshot));
  } catch (const std::exception& error) {
    throw Error(
        StatusCode::out_of_resources,
        fmt::format("serve metrics on {}: {}; is the port in use ('ss -ltnp'), or the host none of this node's?",
                    address.text(), error.what()));
  }
}

}  // namespace halyard::metrics
