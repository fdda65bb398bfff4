// See coded_exchange.hpp.
#include "mpi/coded_exchange.hpp"

#include "mpi/ranks.hpp"

namespace halyard::test {

CodedExchange::CodedExchange(Context& context, const Way& way, const RandomCase& problem)
    : way_(way),
      pattern_(box_halo(problem.halo, context.rank())),
      fields_(problem, pattern_, allocate_on(context, way)),
      binding_(context, Plan(pattern_, fields_.shapes, context.facts()), fields_.views) {}

std::string CodedExchange::run(std::uint64_t step) {
  fields_.fill(step);
  const Status status = binding_.forward().wait();
  return status.ok() ? fields_.check(step) : status.text();
}

RandomCase plain_case(const Decomposition& cells, const std::array<bool, 3>& periodic, const Width& width) {
  return {{cells, periodic, width, Reach::full}, {Storing{}}, "plain case"};
}

std::string wrong_in_case(MPI_Comm comm, Context& context, const Way& way, const RandomCase& problem) {
  std::string wrong;
  try {
    CodedExchange exchange(context, way, problem);
    wrong = exchange.other_way();
    for (std::uint64_t step = 0; step < 3 && wrong.empty(); ++step) wrong = exchange.run(step);
  } catch (const Error& error) {
    wrong = error.what();
  }
  wrong = first_wrong(comm, wrong);
  return wrong.empty() ? wrong : std::string(way.name) + ", " + problem.text + "\n" + wrong;
}

}  // namespace halyard::test
