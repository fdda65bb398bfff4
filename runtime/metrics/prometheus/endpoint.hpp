// Endpoint: answers GET /metrics over HTTP with a snapshot taken then. Made by the context; serves from threads of its
// own until it is destroyed.
//
// Two twins: endpoint_prometheus.cpp where prometheus-cpp was found, endpoint_absent.cpp where it was not.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "halyard/metrics.hpp"

namespace halyard::metrics {

/// Where to listen.
struct Address {
  std::string host = "127.0.0.1";
  int port = 0;

  /// "9400" (this machine only), "0.0.0.0:9400", "[::1]:9400"; the port is raised by the rank on its node. Throws
  /// Error(invalid_argument) in a text that begins with `variable`.
  static Address parse(std::string_view variable, std::string_view text, int rank_on_node);
  std::string text() const;
};

class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  /// Throws Error: not_supported in a build without prometheus-cpp, out_of_resources when the port cannot be had.
  static std::unique_ptr<Endpoint> open(const Address& address, std::function<Metrics()> snapshot);
};

}  // namespace halyard::metrics
