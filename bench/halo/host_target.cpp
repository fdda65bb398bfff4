// The target for fields in host memory; see target.hpp.
#include "halo/target.hpp"

namespace halyard::bench {
namespace {

/// A FieldSet with memory of its own. The memory is a base so that it is there before the FieldSet.
class PlainFieldSet : private PlainMemory, public FieldSet {
 public:
  explicit PlainFieldSet(const Geometry& geometry) : PlainMemory(geometry), FieldSet(geometry, PlainMemory::arrays()) {}
};

class HostTarget : public Target {
 public:
  MethodEntries methods() const override { return host_methods(); }
  std::vector<RatioBase> ratio_bases() const override {
    return {{"f", "/f"}, {"g2", "/g2"}, {"best-mpi", "/best"}, {"derived", ""}, {"b", "/b"}};
  }
  std::unique_ptr<FieldSet> make_fields(const Geometry& geometry) override {
    return std::make_unique<PlainFieldSet>(geometry);
  }
};

}  // namespace

std::unique_ptr<Target> make_host_target() { return std::make_unique<HostTarget>(); }

}  // namespace halyard::bench
