// See packed.hpp.
#include "context/observe/packed.hpp"

#include <cstring>

#include "transport/blob.hpp"

namespace halyard::context {
namespace {

using transport::Blob;
using transport::BlobReader;

template <class T>
void append_list(Blob& blob, const std::vector<T>& list) {
  static_assert(std::is_trivially_copyable_v<T>);
  transport::append_bytes(blob, std::as_bytes(std::span(list)));
}

template <class T>
std::vector<T> read_list(BlobReader& reader) {
  const auto bytes = reader.read_bytes();
  std::vector<T> list(bytes.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
  return list;
}

// The members of Metrics that are no lists.
struct Fixed {
  int rank = 0;
  std::uint64_t forward_exchanges = 0;
  std::uint64_t reverse_exchanges = 0;
  Distribution exposed;
  std::array<std::uint64_t, kNumStatusCodes> errors{};
  RegistrationMetrics registrations;
  std::uint64_t trace_events = 0;
  std::uint64_t trace_events_dropped = 0;
};

}  // namespace

Blob packed(const Account& account) {
  const Metrics& m = account.metrics;
  Blob blob;
  transport::append(blob, Fixed{m.rank, m.forward_exchanges, m.reverse_exchanges, m.exposed, m.errors, m.registrations,
                                m.trace_events, m.trace_events_dropped});
  append_list(blob, m.paths);
  append_list(blob, m.neighbors);
  transport::append(blob, account.trace.dropped);
  transport::append(blob, static_cast<std::uint64_t>(account.trace.names.size()));
  for (const std::string& name : account.trace.names) transport::append_text(blob, name);
  append_list(blob, account.trace.records);
  append_list(blob, account.trace.gpu_clocks);
  return blob;
}

Account unpacked(std::span<const std::byte> bytes) {
  BlobReader reader(bytes);
  const auto fixed = reader.read<Fixed>();
  Account account;
  Metrics& m = account.metrics;
  m.rank = account.trace.rank = fixed.rank;
  m.forward_exchanges = fixed.forward_exchanges;
  m.reverse_exchanges = fixed.reverse_exchanges;
  m.exposed = fixed.exposed;
  m.errors = fixed.errors;
  m.registrations = fixed.registrations;
  m.trace_events = fixed.trace_events;
  m.trace_events_dropped = fixed.trace_events_dropped;
  m.paths = read_list<PathMetrics>(reader);
  m.neighbors = read_list<NeighborMetrics>(reader);
  account.trace.dropped = reader.read<std::uint64_t>();
  for (auto left = reader.read<std::uint64_t>(); left > 0; --left) account.trace.names.push_back(reader.read_text());
  account.trace.records = read_list<metrics::Record>(reader);
  account.trace.gpu_clocks = read_list<metrics::GpuClock>(reader);
  return account;
}

}  // namespace halyard::context
