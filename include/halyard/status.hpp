// Status and Error: how Halyard says that something did not work.
//
// Three kinds of failure, three ways to learn of them:
//  - set-up that cannot succeed (Context, Pattern, Plan, Binding) throws Error, on every rank of the
//    communicator, with the text of the lowest rank that failed;
//  - while data moves nothing throws: the first Status is kept and returned by Transfer::wait();
//  - a promise broken by the caller is an Error with code invalid_argument whose text states the promise.
// A text answers three questions: what was tried, what came back, what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "halyard/export.hpp"

namespace halyard {

enum class StatusCode : int {
  ok = 0,
  invalid_argument,  // the caller broke a documented promise
  not_supported,     // right request, but not on this machine or in this build
  out_of_resources,  // memory, segments, file descriptors
  disagreement,      // ranks describe different exchanges
  timeout,           // a deadline passed; the peer may be slow, stuck or gone
  peer_failed,       // a peer is known to be gone, or told us that it gave up
  transport_failed,  // MPI, UCX or the operating system reported an error
  wrong_thread,      // the MPI thread level does not allow a call from this thread
};
inline constexpr int kNumStatusCodes = 9;

/// "timeout", "peer_failed", …
HALYARD_API std::string_view name_of(StatusCode code);

/// The outcome of an operation. An ok Status owns no memory.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string text) : code_(code), text_(std::move(text)) {}

  bool ok() const { return code_ == StatusCode::ok; }
  StatusCode code() const { return code_; }
  const std::string& text() const { return text_; }

  /// Throws Error when this is not ok.
  HALYARD_API void or_throw() const;

 private:
  StatusCode code_ = StatusCode::ok;
  std::string text_;
};

/// Thrown by everything that sets up; what() is the status text.
class HALYARD_API Error : public std::runtime_error {
 public:
  explicit Error(Status status);
  Error(StatusCode code, std::string text) : Error(Status(code, std::move(text))) {}
  ~Error() override;

  const Status& status() const { return status_; }
  StatusCode code() const { return status_.code(); }

 private:
  Status status_;
};

}  // namespace halyard
