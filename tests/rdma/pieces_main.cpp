// What a program sees where RDMA is missing or half there (field case N06, bad input). Argument: HALYARD_PATH's value
// to ask for, or "any". Prints what this rank found and how one checked exchange went:
//   explain: …            lines of Context::explain()
//   right over <path>     all ghosts are right
//   refused: <text>       no path, and why
// Run by pieces.py on two ranks.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"

namespace {

void print_explanation(const halyard::Context& context) {
  std::istringstream lines(context.explain());
  for (std::string line; std::getline(lines, line);) std::printf("explain: %s\n", line.c_str());
}

// Both ranks give each other all their cells.
std::string exchange_once(halyard::Context& context, std::int64_t cells) {
  const halyard::BoxHalo halo{halyard::Decomposition::grid(halyard::Box::of_extent({2 * cells, 1, 1}), {2, 1, 1}),
                              {false, false, false},
                              halyard::Width::axes(cells, 0, 0)};
  std::vector<double> field(static_cast<std::size_t>(3 * cells), -1);
  halyard::HaloExchange exchange(context, halyard::box_halo(halo, context.rank()),
                                 {halyard::FieldView::grid(field.data(), {cells, 1, 1}, halo.width)});
  double* own = field.data() + cells;
  const double* ghosts = context.rank() == 0 ? own + cells : own - cells;
  for (std::int64_t i = 0; i < cells; ++i) own[i] = static_cast<double>(2 * i + context.rank());
  if (const auto status = exchange.forward().wait(); !status.ok()) return "failed: " + status.text();
  for (std::int64_t i = 0; i < cells; ++i)
    if (ghosts[i] != static_cast<double>(2 * i + 1 - context.rank())) return "ghost " + std::to_string(i) + " is wrong";
  return "right over " + std::string(name_of(exchange.plan().neighbors().at(0).path));
}

std::string outcome(const std::string& paths, std::int64_t cells) {
  try {
    halyard::Options options;
    options.path = paths;
    options.deadline_s = 20;
    halyard::Context context(MPI_COMM_WORLD, options);
    print_explanation(context);
    return exchange_once(context, cells);
  } catch (const halyard::Error& error) {
    std::string text = std::string("refused: ") + error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::printf("%s\n", outcome(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 1000).c_str());
  MPI_Finalize();
  return 0;
}
