// See bytes_type.hpp: whole chunks of 1 GiB and a rest, as one struct.
#include "transport/mpi/bytes_type.hpp"

#include <fmt/format.h>

#include "halyard/status.hpp"

namespace halyard::transport::mpi {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 30;

void check(int code, std::int64_t bytes) {
  if (code != MPI_SUCCESS)
    throw Error(StatusCode::transport_failed,
                fmt::format("make an MPI datatype of {} bytes: MPI error {}", bytes, code));
}

Datatype contiguous(int count, MPI_Datatype of, std::int64_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(count, of, &type), bytes);
  return Datatype(type);
}

Datatype committed(Datatype type, std::int64_t bytes) {
  MPI_Datatype raw = type.get();
  check(MPI_Type_commit(&raw), bytes);
  return type;
}

}  // namespace

Datatype type_of_bytes(std::int64_t bytes) {
  if (bytes < kChunk) return committed(contiguous(static_cast<int>(bytes), MPI_BYTE, bytes), bytes);
  const auto num_chunks = static_cast<int>(bytes / kChunk);
  const Datatype chunk = contiguous(static_cast<int>(kChunk), MPI_BYTE, bytes);
  int counts[2] = {num_chunks, static_cast<int>(bytes % kChunk)};
  MPI_Aint places[2] = {0, static_cast<MPI_Aint>(num_chunks * kChunk)};
  MPI_Datatype types[2] = {chunk.get(), MPI_BYTE};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_struct(2, counts, places, types, &type), bytes);
  return committed(Datatype(type), bytes);
}

}  // namespace halyard::transport::mpi
