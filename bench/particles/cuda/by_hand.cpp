// Ways "cuda-mpi" and "cuda-mpi-unpack": what a careful MPI programmer writes for a GPU: one pack kernel, MPI_Isend and
// MPI_Irecv of GPU memory, one message a peer, straight into the ghosts or through a buffer and an unpack kernel; own
// images by a kernel. Borders are listed on the host, by the host's hand-written way.
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstring>

#include "halo/cuda/gpu.hpp"
#include "halo/cuda/handles.hpp"
#include "particles/by_hand.hpp"
#include "particles/cuda/gather.hpp"

namespace halyard::bench {
namespace {

constexpr int kTag = 300;

class ByHandOnGpu final : public Way {
 public:
  ByHandOnGpu(MPI_Comm comm, const System& system, Landing landing)
      : comm_(comm), landing_(landing), host_(comm, system, Messages::per_peer), stream_(make_stream()) {}

  std::string_view name() const override { return landing_ == Landing::in_ghosts ? "cuda-mpi" : "cuda-mpi-unpack"; }

  Holding holding() override {
    const Holding h = host_.holding();
    if (capacity_ > 0)
      check_cuda(cudaMemcpy(h.x, x_.get(), bytes_of(h), cudaMemcpyDeviceToHost), "copy positions to the host");
    return h;
  }
  void put_back() override {
    const Holding h = host_.holding();
    if (capacity_ > 0)
      check_cuda(cudaMemcpy(x_.get(), h.x, bytes_of(h), cudaMemcpyHostToDevice), "copy positions to the GPU");
  }

  void refresh() override {
    double* const landed = landing_ == Landing::in_ghosts ? nullptr : incoming_.get();
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const GhostMessage& message = messages_[m];
      double* ghosts = x_.get() + 3 * message.first_ghost;
      if (landed != nullptr) ghosts = landed + 3 * (message.first_ghost - messages_.front().first_ghost);
      if (!message.is_copied)
        MPI_Irecv(ghosts, 3 * message.num_in, MPI_DOUBLE, message.rank, kTag, comm_, &requests_[m]);
    }
    for (const GatherList& list : lists_) launch_gather(list, stream_.get());
    check_cuda(cudaStreamSynchronize(stream_.get()), "the pack kernel");
    for (std::size_t m = 0; m < messages_.size(); ++m)
      if (!messages_[m].is_copied)
        MPI_Isend(lists_[m].out, 3 * lists_[m].count, MPI_DOUBLE, messages_[m].rank, kTag, comm_,
                  &requests_[messages_.size() + m]);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    if (landed == nullptr) return;
    for (const GhostMessage& message : messages_)
      if (!message.is_copied)
        launch_copy(x_.get() + 3 * message.first_ghost,
                    landed + 3 * (message.first_ghost - messages_.front().first_ghost), 3 * message.num_in,
                    stream_.get());
    check_cuda(cudaStreamSynchronize(stream_.get()), "the unpack kernel");
  }

  void borders() override {
    (void)holding();
    host_.borders();
    messages_ = host_.messages();
    const Holding h = host_.holding();
    if (h.num_owned + h.num_ghosts > capacity_) {
      capacity_ = (h.num_owned + h.num_ghosts) * 5 / 4;
      x_ = allocate_device<double>(static_cast<std::size_t>(3 * capacity_));
    }
    put_back();
    upload_lists(h);
  }
  void migrate() override { throw std::logic_error("the hand-written way on a GPU does not migrate"); }

 private:
  static std::size_t bytes_of(const Holding& h) {
    return static_cast<std::size_t>(3 * (h.num_owned + h.num_ghosts)) * sizeof(double);
  }

  void upload_lists(const Holding& h) {
    std::vector<int> numbers;
    std::vector<unsigned char> codes;
    std::vector<Point3> shifts;
    for (const GhostMessage& message : messages_)
      for (std::size_t i = 0; i < message.numbers.size(); ++i) {
        auto known = std::find(shifts.begin(), shifts.end(), message.shifts[i]);
        if (known == shifts.end()) known = shifts.insert(known, message.shifts[i]);
        numbers.push_back(message.numbers[i]);
        codes.push_back(static_cast<unsigned char>(known - shifts.begin()));
      }
    numbers_ = allocate_device<int>(numbers.size() + 1);
    codes_ = allocate_device<unsigned char>(codes.size() + 1);
    outgoing_ = allocate_device<double>(3 * numbers.size() + 1);
    incoming_ = allocate_device<double>(static_cast<std::size_t>(3 * h.num_ghosts + 1));
    check_cuda(cudaMemcpy(numbers_.get(), numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice),
               "copy lists to the GPU");
    check_cuda(cudaMemcpy(codes_.get(), codes.data(), codes.size(), cudaMemcpyHostToDevice), "copy lists to the GPU");
    lists_.clear();
    std::size_t first = 0;
    for (const GhostMessage& message : messages_) {
      GatherList& list = lists_.emplace_back();
      list.x = x_.get();
      list.numbers = numbers_.get() + first;
      list.codes = codes_.get() + first;
      list.out = message.is_copied ? x_.get() + 3 * message.first_ghost : outgoing_.get() + 3 * first;
      list.count = static_cast<int>(message.numbers.size());
      for (std::size_t s = 0; s < shifts.size(); ++s) std::copy_n(shifts[s].data(), 3, list.shifts[s]);
      first += message.numbers.size();
    }
    requests_.assign(2 * messages_.size(), MPI_REQUEST_NULL);
  }

  MPI_Comm comm_;
  Landing landing_;
  ByHand host_;
  OwnedStream stream_;
  std::vector<GhostMessage> messages_;
  std::vector<GatherList> lists_;
  std::vector<MPI_Request> requests_;
  DeviceArray<double> x_;
  DeviceArray<int> numbers_;
  DeviceArray<unsigned char> codes_;
  DeviceArray<double> outgoing_;
  DeviceArray<double> incoming_;
  std::int64_t capacity_ = 0;
};

}  // namespace

void choose_gpu_for_particles(MPI_Comm comm) { (void)choose_gpu(comm); }

std::unique_ptr<Way> make_by_hand_on_gpu(MPI_Comm comm, const System& system, Landing landing) {
  return std::make_unique<ByHandOnGpu>(comm, system, landing);
}

bool mpi_takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace halyard::bench
