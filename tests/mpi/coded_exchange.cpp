// See coded_exchange.hpp.
#include "mpi/coded_exchange.hpp"

#include "mpi/ranks.hpp"

namespace halyard::test {

namespace {

std::optional<GpuMirror> mirror_of(const RankFields& fields, const Way& way, const GpuMirror::Allocate& allocate) {
  if (!way.is_on_gpu()) return std::nullopt;
  const auto device = gpu_device();
  return GpuMirror(device, device->current_gpu(), fields.views, allocate);
}

halyard::Memory memory_of(const Way& way) { return way.is_on_gpu() ? halyard::Memory::gpu : halyard::Memory::host; }

}  // namespace

CodedExchange::CodedExchange(Context& context, const Way& way, const RandomCase& problem,
                             const GpuMirror::Allocate& allocate)
    : way_(way),
      pattern_(box_halo(problem.halo, context.rank())),
      fields_(problem, pattern_, allocate_on(context, way)),
      mirror_(mirror_of(fields_, way, allocate)),
      binding_(context, Plan(pattern_, fields_.shapes, context.facts(), memory_of(way)), views()) {}

std::string CodedExchange::run(std::uint64_t step) {
  return run_by(step, [this] { return binding_.forward().wait(); });
}

std::string CodedExchange::run_by(std::uint64_t step, const std::function<Status()>& exchange) {
  fields_.fill(step);
  if (mirror_) mirror_->upload();
  const Status status = exchange();
  if (mirror_ && status.ok()) mirror_->download();
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
