// The endpoint of a build without prometheus-cpp: there is none.
#include "halyard/status.hpp"
#include "metrics/prometheus/endpoint.hpp"

namespace halyard::metrics {

std::unique_ptr<Endpoint> Endpoint::open(const Address& address, std::function<Metrics()>) {
  throw Error(StatusCode::not_supported,
              "serve metrics on " + address.text() +
                  ": this build has no prometheus-cpp (Debian: prometheus-cpp-dev); use HALYARD_METRICS_FILE");
}

}  // namespace halyard::metrics
