// Status and Error, see halyard/status.hpp.
#include "halyard/status.hpp"

namespace halyard {

std::string_view name_of(StatusCode code) {
  switch (code) {
    case StatusCode::ok:
      return "ok";
    case StatusCode::invalid_argument:
      return "invalid_argument";
    case StatusCode::not_supported:
      return "not_supported";
    case StatusCode::out_of_resources:
      return "out_of_resources";
    case StatusCode::disagreement:
      return "disagreement";
    case StatusCode::timeout:
      return "timeout";
    case StatusCode::peer_failed:
      return "peer_failed";
    case StatusCode::transport_failed:
      return "transport_failed";
    case StatusCode::wrong_thread:
      return "wrong_thread";
  }
  return "unknown";
}

void Status::or_throw() const {
  if (!ok()) throw Error(*this);
}

Error::Error(Status status) : std::runtime_error("halyard: " + status.text()), status_(std::move(status)) {}

Error::~Error() = default;

}  // namespace halyard
