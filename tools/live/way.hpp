// Way: one way to do the same exchange, set up: a context that is allowed some paths only, a field, a binding.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/field.hpp"
#include "live/result.hpp"

namespace halyard::live {

/// What a way is allowed to use.
struct WayWish {
  std::string name;
  Options options;
};

/// Those that are compared; the last one is the reference.
std::vector<WayWish> wishes(bool is_gpu, const std::string& device);

class Way {
 public:
  /// Collective; throws Error on every rank alike when the way is not open.
  Way(MPI_Comm comm, const WayWish& wish, const std::shared_ptr<device::Device>& device, int face);

  LiveField& field() { return field_; }
  /// "shared", "peer", "shared (staged)", several with commas.
  std::string path() const;
  /// `count` exchanges one after the other; returns when all ghosts are there.
  void exchange(int count);

 private:
  Context context_;
  LiveField field_;
  HaloExchange exchange_;
  bool is_gpu_;
};

}  // namespace halyard::live
