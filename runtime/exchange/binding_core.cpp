// See binding_core.hpp.
#include "exchange/binding_core.hpp"

#include <fmt/format.h>

namespace halyard {

std::uint64_t BindingCore::start_in(Stream, exchange::Kind, Reduce, ReduceOrder) { return kNotOnGpu; }

std::uint64_t BindingCore::run_in(Stream, exchange::Kind, Reduce, ReduceOrder) { return kNotOnGpu; }

Status BindingCore::wait_in(std::uint64_t number, Stream) {
  return refusal(number >= kFirstRefusal ? number : kNotOnGpu, 0);
}

Status BindingCore::refusal(std::uint64_t number, int most_in_flight) {
  switch (number) {
    case kTooMany:
      return {StatusCode::invalid_argument,
              fmt::format("start an exchange: {} of this binding are in flight already; wait for the oldest first",
                          most_in_flight)};
    case kOpaque:
      return {StatusCode::invalid_argument,
              "start a reverse exchange: a field has opaque elements, which cannot be reduced; give its scalar type"};
    case kNotOnGpu:
      return {StatusCode::invalid_argument,
              "use a stream with a binding of fields in host memory: its exchanges do not run on a GPU; call forward() "
              "and wait() without a stream"};
    case kWrongStream:
      return {StatusCode::invalid_argument,
              "use a stream of another GPU than the one that the binding's fields lie on; make the stream there"};
    case kUnaligned:
      return {
          StatusCode::invalid_argument,
          "start a reverse exchange on a GPU: a field's cells are not aligned to their scalar type, see the warning "
          "that was logged at bind time"};
    case kNotCapturable:
      return {
          StatusCode::not_supported,
          "capture an exchange into a graph: messages are staged through host memory and the caller must drive them; "
          "ask MPI_Init_thread for MPI_THREAD_MULTIPLE, or allow a path that needs no MPI"};
    case kNotListed:
      return {StatusCode::invalid_argument,
              "start an exchange of ghosts: the borders were not built for the particles as they are, or arrays have "
              "moved; "
              "call Borders::build() after a migration, and exchange nothing before"};
    default:
      return {StatusCode::wrong_thread,
              "use a binding from another thread than the one that initialized MPI: the thread level is SINGLE or "
              "FUNNELED; ask MPI_Init_thread for SERIALIZED or MULTIPLE"};
  }
}

}  // namespace halyard
