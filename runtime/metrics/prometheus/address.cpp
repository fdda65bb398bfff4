// Address of an Endpoint, see endpoint.hpp.
#include <fmt/format.h>

#include <charconv>

#include "halyard/status.hpp"
#include "metrics/prometheus/endpoint.hpp"

namespace halyard::metrics {

Address Address::parse(std::string_view variable, std::string_view text, int rank_on_node) {
  const auto colon = text.rfind(':');
  const std::string_view host = colon == std::string_view::npos ? std::string_view{} : text.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  Address address;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool is_number = error == std::errc{} && end == port.data() + port.size();
  if (!is_number || address.port < 1 || address.port + rank_on_node > 65535 || (colon == 0))
    throw Error(StatusCode::invalid_argument,
                fmt::format("{}='{}': expected a port, 1 to 65535 with one for each rank of a node from it on, or "
                            "host:port",
                            variable, text));
  if (colon != std::string_view::npos) address.host = std::string(host);
  address.port += rank_on_node;
  return address;
}

std::string Address::text() const { return fmt::format("{}:{}", host, port); }

}  // namespace halyard::metrics
