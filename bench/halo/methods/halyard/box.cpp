// Methods halyard, halyard-user, halyard-mpi, halyard-ucx, halyard-verbs, halyard-verbs-packed: the same exchange by
// Halyard's box pattern.
//
// halyard has its fields in memory of Context::allocate; the others in the user's own. halyard-mpi, halyard-ucx and
// halyard-verbs force the path; halyard-verbs-packed besides sends nothing in place. Each method has a context of its
// own.
#include "halo/methods/halyard/box_pattern.hpp"
#include "halo/methods/halyard/memory.hpp"
#include "halo/methods/methods.hpp"
#include "halyard/halyard.hpp"

namespace halyard::bench {
namespace {

/// Fields in the user's own memory.
class HalyardUser : public Method {
 public:
  HalyardUser(const MethodInputs& inputs, const Options& options)
      : Method(inputs.user_fields),
        context_(inputs.comm, options),
        exchange_(context_, box_pattern(inputs.geometry), grid_views(inputs.geometry, inputs.user_fields)) {}

  void exchange() override { exchange_.forward().wait().or_throw(); }
  std::string path() const override { return paths_of(exchange_.plan()); }

 private:
  Context context_;
  HaloExchange exchange_;
};

/// Fields in Halyard's memory.
class HalyardOwn : public Method {
 public:
  explicit HalyardOwn(const MethodInputs& inputs)
      : context_(inputs.comm),
        memory_(context_, inputs.geometry),
        fields_(inputs.geometry, memory_.arrays()),
        exchange_(context_, box_pattern(inputs.geometry), grid_views(inputs.geometry, fields_)) {
    use(fields_);
  }

  void exchange() override { exchange_.forward().wait().or_throw(); }
  std::string path() const override { return paths_of(exchange_.plan()); }
  std::string_view memory() const override { return "halyard"; }

 private:
  Context context_;
  HalyardMemory memory_;
  FieldSet fields_;
  HaloExchange exchange_;
};

std::unique_ptr<Method> make_forced(const MethodInputs& inputs, std::string path) {
  Options options;
  options.path = std::move(path);
  return std::make_unique<HalyardUser>(inputs, options);
}

}  // namespace

std::unique_ptr<Method> make_halyard(const MethodInputs& inputs) { return std::make_unique<HalyardOwn>(inputs); }
std::unique_ptr<Method> make_halyard_user(const MethodInputs& inputs) { return make_forced(inputs, ""); }
std::unique_ptr<Method> make_halyard_mpi(const MethodInputs& inputs) { return make_forced(inputs, "mpi"); }
std::unique_ptr<Method> make_halyard_ucx(const MethodInputs& inputs) { return make_forced(inputs, "ucx"); }
std::unique_ptr<Method> make_halyard_verbs(const MethodInputs& inputs) { return make_forced(inputs, "verbs"); }

std::unique_ptr<Method> make_halyard_verbs_packed(const MethodInputs& inputs) {
  Options options;
  options.path = "verbs";
  options.verbs.in_place_bytes = -1;
  return std::make_unique<HalyardUser>(inputs, options);
}

}  // namespace halyard::bench
