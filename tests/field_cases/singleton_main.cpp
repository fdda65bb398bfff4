// Field case L01, the program: makes a Context and exchanges with itself. Exit code 3 when Halyard refuses, with its
// words.
#include <mpi.h>

#include <cstdio>

#include "halyard/halyard.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    halyard::Context context(MPI_COMM_WORLD);
    double field[6] = {-1, 1, 2, 3, 4, -1};
    const halyard::BoxHalo halo{halyard::Decomposition::grid(halyard::Box::of_extent({4, 1, 1}), {1, 1, 1}),
                                {true, false, false},
                                halyard::Width::axes(1, 0, 0)};
    halyard::HaloExchange exchange(context, halyard::box_halo(halo, 0),
                                   {halyard::FieldView::grid(field, {4, 1, 1}, halo.width)});
    exchange.forward().wait().or_throw();
    code = field[0] == 4 && field[5] == 1 ? 0 : 1;
  } catch (const halyard::Error& error) {
    std::printf("refused: %s\n", error.what());
    code = 3;
  }
  MPI_Finalize();
  return code;
}
