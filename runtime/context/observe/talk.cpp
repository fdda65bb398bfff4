// See talk.hpp. A message is its length, then its bytes.
#include "context/observe/talk.hpp"

#include <climits>
#include <cstring>

namespace halyard::context {
namespace {

constexpr int kLengthTag = 11;
constexpr int kBytesTag = 12;

}  // namespace

bool Talk::send(int to, transport::Blob bytes, double seconds) {
  if (bytes.size() > INT_MAX) return false;
  const auto length = std::make_shared<Moving>();
  const auto content = std::make_shared<Moving>();
  const auto num_bytes = static_cast<std::uint64_t>(bytes.size());
  length->bytes.resize(sizeof(num_bytes));
  std::memcpy(length->bytes.data(), &num_bytes, sizeof(num_bytes));
  content->bytes = std::move(bytes);
  MPI_Isend(length->bytes.data(), sizeof(num_bytes), MPI_BYTE, to, kLengthTag, bootstrap_.comm(), &length->request);
  if (!finish(length, seconds)) return false;
  MPI_Isend(content->bytes.data(), static_cast<int>(num_bytes), MPI_BYTE, to, kBytesTag, bootstrap_.comm(),
            &content->request);
  return finish(content, seconds);
}

std::optional<transport::Blob> Talk::receive(int from, double seconds) {
  const auto length = std::make_shared<Moving>();
  std::uint64_t num_bytes = 0;
  length->bytes.resize(sizeof(num_bytes));
  MPI_Irecv(length->bytes.data(), sizeof(num_bytes), MPI_BYTE, from, kLengthTag, bootstrap_.comm(), &length->request);
  if (!finish(length, seconds)) return std::nullopt;
  std::memcpy(&num_bytes, length->bytes.data(), sizeof(num_bytes));
  const auto content = std::make_shared<Moving>();
  content->bytes.resize(num_bytes);
  MPI_Irecv(content->bytes.data(), static_cast<int>(num_bytes), MPI_BYTE, from, kBytesTag, bootstrap_.comm(),
            &content->request);
  if (!finish(content, seconds)) return std::nullopt;
  return std::move(content->bytes);
}

bool Talk::finish(const std::shared_ptr<Moving>& moving, double seconds) {
  base::Backoff backoff({base::WaitPolicy::kYieldEarly, seconds});
  int has_ended = 0;
  while (MPI_Test(&moving->request, &has_ended, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
    if (has_ended != 0) return true;
    if (backoff.pause() != base::Backoff::Outcome::deadline_passed) continue;
    bootstrap_.leave(moving);
    return false;
  }
  return false;
}

}  // namespace halyard::context
