// The public Transfer, see halyard/exchange.hpp.
#include "exchange/binding_core.hpp"
#include "halyard/exchange.hpp"

namespace halyard {
namespace {

Status never_started() { return {StatusCode::invalid_argument, "wait for a Transfer that belongs to no exchange"}; }

}  // namespace

Status Transfer::wait() { return binding_ == nullptr ? never_started() : binding_->wait(number_); }

bool Transfer::ready() { return binding_ == nullptr || binding_->ready(number_); }

Status Transfer::wait_on(int rank) { return binding_ == nullptr ? never_started() : binding_->wait_on(number_, rank); }

Status Transfer::wait_on(Stream stream) {
  return binding_ == nullptr ? never_started() : binding_->wait_in(number_, stream);
}

}  // namespace halyard
