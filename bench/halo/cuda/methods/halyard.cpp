// Methods halyard and halyard-split: the exchange by Halyard, fields in GPU memory, in stream order.
//
// halyard is one launch (forward_and_wait_on); halyard-split is what a program calls that computes in between
// (forward, then wait_on), with nothing in between.
#include "halyard/halyard.hpp"

#include "halo/cuda/methods/methods.hpp"
#include "halo/methods/halyard/box_pattern.hpp"
#include "halo/methods/halyard/memory.hpp"

namespace halyard::bench {
namespace {

Options cuda_options() {
  Options options;
  options.device = "cuda";
  return options;
}

class HalyardExchange : public StreamMethod {
 public:
  explicit HalyardExchange(const CudaInputs& inputs)
      : context_(inputs.comm, cuda_options()),
        exchange_(context_, box_pattern(inputs.geometry), grid_views(inputs.geometry, inputs.fields)) {}

  std::string path() const override { return paths_of(exchange_.plan()); }

 protected:
  Binding& binding() { return exchange_.binding(); }

 private:
  Context context_;
  HaloExchange exchange_;
};

class HalyardOneLaunch : public HalyardExchange {
 public:
  using HalyardExchange::HalyardExchange;
  void enqueue(cudaStream_t stream) override { transfer_ = binding().forward_and_wait_on(Stream(stream)); }

 private:
  Transfer transfer_;
};

class HalyardSplit : public HalyardExchange {
 public:
  using HalyardExchange::HalyardExchange;
  void enqueue(cudaStream_t stream) override { binding().forward(Stream(stream)).wait_on(Stream(stream)).or_throw(); }
};

}  // namespace

std::unique_ptr<StreamMethod> make_halyard_stream(const CudaInputs& inputs) {
  return std::make_unique<HalyardOneLaunch>(inputs);
}
std::unique_ptr<StreamMethod> make_halyard_split(const CudaInputs& inputs) {
  return std::make_unique<HalyardSplit>(inputs);
}

}  // namespace halyard::bench
