// Method g2: the strided-copy limit. The same 26 boxes copied inside one's own arrays, no peer and
// no signal.
//
// Its ghosts hold this rank's own cells, so it is no halo exchange; it says what the copies alone
// cost.
#include <vector>

#include "halo/methods/copy_lists.hpp"
#include "halo/methods/methods.hpp"

namespace halyard::bench {
namespace {

class StridedCopy : public Method {
 public:
  explicit StridedCopy(const MethodInputs& inputs)
      : Method(inputs.user_fields),
        copies_(direct_copies(inputs.geometry, inputs.geometry.halos, inputs.user_fields.arrays(),
                              inputs.user_fields.arrays())) {}

  void exchange() override { copy_boxes(copies_); }
  std::string path() const override { return "own memory"; }
  GhostSource source() const override { return GhostSource::own; }

 private:
  std::vector<BoxCopy> copies_;
};

}  // namespace

std::unique_ptr<Method> make_strided_copy(const MethodInputs& inputs) { return std::make_unique<StridedCopy>(inputs); }

}  // namespace halyard::bench
