// Everyone: what a migration or a build of borders needs of all ranks at once, or of ranks that are no neighbors. The
// context implements it over MPI (context/particles/); a test may play all ranks in one process.
//
// All calls are collective, with the context's deadline; they throw Error.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "transport/channel.hpp"

namespace halyard::particles {

/// Bytes to, or from, a rank.
struct Parcel {
  int rank = 0;
  transport::Blob bytes;
};

class Everyone {
 public:
  Everyone() = default;
  Everyone(const Everyone&) = delete;
  Everyone& operator=(const Everyone&) = delete;
  virtual ~Everyone() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Which bits are set on any rank.
  virtual std::uint32_t any(std::uint32_t bits) = 0;
  /// Runs a local step; when it threw on some rank, throws the lowest such rank's Error on every rank.
  virtual void together(const char* what, const std::function<void()>& step) = 0;
  /// One blob to, and one from, each of `ranks`, which list this rank in turn.
  virtual std::vector<transport::Blob> swap(const std::vector<int>& ranks, std::vector<transport::Blob> blobs) = 0;
  /// Any parcels to any ranks, without knowing what comes: answers what came, ascending by rank.
  virtual std::vector<Parcel> deliver(std::vector<Parcel> parcels) = 0;
};

}  // namespace halyard::particles
