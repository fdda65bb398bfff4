// The mpi worker: nothing to open, MPI is there.
#include "transport/mpi/channel.hpp"
#include "transport/mpi/factory.hpp"

namespace halyard::transport::mpi {
namespace {

class MpiWorker final : public Worker {
 public:
  explicit MpiWorker(MPI_Comm comm) : comm_(comm) {}

  Path path() const override { return Path::mpi; }

  std::unique_ptr<transport::Channel> open(const ChannelSpec& spec) override {
    return std::make_unique<Channel>(spec, comm_);
  }

 private:
  MPI_Comm comm_;
};

}  // namespace

std::unique_ptr<Worker> open_worker(MPI_Comm comm) { return std::make_unique<MpiWorker>(comm); }

}  // namespace halyard::transport::mpi
