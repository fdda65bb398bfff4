// A user's first program, built against an installed Halyard: a periodic ring of cells, one per
// rank, in which every rank must see its neighbors' numbers.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <halyard/halyard.hpp>

namespace {

bool ghosts_are_right(halyard::Context& context) {
  const int rank = context.rank(), size = context.size();
  halyard::BoxHalo halo{halyard::Decomposition::grid({{0, 0, 0}, {size, 1, 1}}, {size, 1, 1}),
                        {true, false, false},
                        halyard::Width::axes(1, 0, 0)};
  std::array<double, 3> cells{-1.0, static_cast<double>(rank), -1.0};
  const auto view = halyard::FieldView::grid(cells.data(), {1, 1, 1}, halo.width);
  halyard::HaloExchange exchange(context, halyard::box_halo(halo, rank), {view});
  exchange.forward().wait().or_throw();
  return cells[0] == (rank + size - 1) % size && cells[2] == (rank + 1) % size;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_right = false;
  try {
    halyard::Context context(MPI_COMM_WORLD);
    is_right = ghosts_are_right(context);
  } catch (const halyard::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  std::puts(is_right ? "ghosts are right" : "ghosts are wrong");
  return is_right ? 0 : 1;
}
