// Contexts, bindings and memory that live past MPI_Finalize: closing them then is allowed and silent. Prints nothing
// and returns 0; the test fails for any word on its output. argv[1]: whether contexts or bindings are closed first.
#include <mpi.h>

#include <cstdio>
#include <optional>
#include <string_view>

#include "halyard/halyard.hpp"

namespace {

using halyard::Binding;
using halyard::Context;

struct Ring {
  std::optional<Context> context;
  std::optional<Binding> binding;
  double* field = nullptr;
  double user_memory[10] = {};

  Ring(const char* path, bool is_in_halyard_memory) {
    halyard::Options options;
    options.path = path;
    context.emplace(MPI_COMM_WORLD, options);
    field = is_in_halyard_memory ? static_cast<double*>(context->allocate(sizeof(user_memory))) : user_memory;
    const int size = context->size();
    const halyard::BoxHalo halo{halyard::Decomposition::grid(halyard::Box::of_extent({8 * size, 1, 1}), {size, 1, 1}),
                                {true, false, false},
                                halyard::Width::axes(1, 0, 0)};
    const auto view = halyard::FieldView::grid(field, {8, 1, 1}, halo.width);
    const auto pattern = halyard::box_halo(halo, context->rank());
    binding.emplace(*context, halyard::Plan(pattern, {view.shape()}, context->facts()), std::span(&view, 1));
    for (int i = 0; i < 3; ++i) binding->forward().wait().or_throw();
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    Ring rings[] = {{"shared", true}, {"shared", false}, {"mpi", false}, {"ucx,mpi", false}};
    // One exchange is left running, and finished by nobody.
    halyard::Transfer running = rings[1].binding->forward();
    MPI_Finalize();
    (void)running;
    const bool contexts_first = argc > 1 && std::string_view(argv[1]) == "contexts-first";
    for (Ring& ring : rings) {
      if (contexts_first) ring.context.reset();
      ring.binding.reset();
      if (ring.context) ring.context->deallocate(ring.field == ring.user_memory ? nullptr : ring.field);
    }
  } catch (const halyard::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
