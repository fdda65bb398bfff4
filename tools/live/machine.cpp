// See machine.hpp.
#include "live/machine.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "device/factory.hpp"

namespace halyard::live {
namespace {

class NodeComm {
 public:
  explicit NodeComm(MPI_Comm comm) { MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_); }
  NodeComm(const NodeComm&) = delete;
  NodeComm& operator=(const NodeComm&) = delete;
  ~NodeComm() { MPI_Comm_free(&comm_); }
  int rank() const {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    return rank;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

bool all_agree(MPI_Comm comm, bool mine) {
  int yes = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_MIN, comm);
  return yes != 0;
}

// The driver's primary context becomes this thread's current one, which the CUDA runtime of every library then finds.
// Asked by name, so that this needs no CUDA to be built. Returns what went wrong.
std::string make_current(int ordinal) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return "libcuda.so.1 cannot be opened";
  const auto call = [&]<class... Arguments>(const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
    return function == nullptr ? -1 : function(arguments...);
  };
  int gpu = 0;
  void* context = nullptr;
  if (const int error = call("cuInit", 0U)) return fmt::format("cuInit: error {}", error);
  if (const int error = call("cuDeviceGet", &gpu, ordinal)) return fmt::format("cuDeviceGet: error {}", error);
  if (const int error = call("cuDevicePrimaryCtxRetain", &context, gpu))
    return fmt::format("cuDevicePrimaryCtxRetain: error {}", error);
  if (const int error = call("cuCtxSetCurrent", context)) return fmt::format("cuCtxSetCurrent: error {}", error);
  return {};
}

// What a crash inside MPI says before the process ends: no handler could bring MPI back.
extern "C" void say_and_leave(int) {
  constexpr char kText[] =
      "halyard doctor --live: FAIL: this MPI says that it takes GPU memory and crashed on it; give it none (Halyard "
      "never "
      "does), or mend its CUDA support\n";
  const auto written = write(STDERR_FILENO, kText, sizeof kText - 1);
  (void)written;
  _exit(2);
}

class CrashWatch {
 public:
  CrashWatch() {
    struct sigaction action {};
    action.sa_handler = say_and_leave;
    sigaction(SIGSEGV, &action, &before_);
  }
  CrashWatch(const CrashWatch&) = delete;
  CrashWatch& operator=(const CrashWatch&) = delete;
  ~CrashWatch() { sigaction(SIGSEGV, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

class GpuMemory {
 public:
  GpuMemory(device::Device& device, std::size_t bytes)
      : device_(device), memory_(device.allocate(device.current_gpu(), bytes)) {}
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  ~GpuMemory() { device_.deallocate(memory_); }
  void* get() const { return memory_; }

 private:
  device::Device& device_;
  void* memory_;
};

std::string send_to_self(device::Device& device) {
  constexpr std::size_t kBytes = 4096;
  const std::vector<char> sent(kBytes, 'h');
  std::vector<char> received(kBytes, '\0');
  const GpuMemory from(device, kBytes);
  const GpuMemory to(device, kBytes);
  device.copy(from.get(), sent.data(), kBytes);
  const CrashWatch watch;
  MPI_Sendrecv(from.get(), static_cast<int>(kBytes), MPI_BYTE, 0, 0, to.get(), static_cast<int>(kBytes), MPI_BYTE, 0, 0,
               MPI_COMM_SELF, MPI_STATUS_IGNORE);
  device.copy(received.data(), to.get(), kBytes);
  return received == sent ? "yes, tried: 4096 bytes from GPU to GPU are right"
                          : "no: it says yes, and what arrived was wrong";
}

}  // namespace

LiveMachine look_at_machine(MPI_Comm comm, const std::string& choice) {
  LiveMachine machine;
  const int rank_on_node = NodeComm(comm).rank();
  int is_first = rank_on_node == 0 ? 1 : 0;
  MPI_Allreduce(&is_first, &machine.num_nodes, 1, MPI_INT, MPI_SUM, comm);
  device::Opened opened = device::open(choice);
  std::string trouble = opened.device == nullptr ? opened.text : std::string();
  if (opened.device != nullptr && opened.device->kind() == "cuda")
    trouble = make_current(rank_on_node % opened.device->num_gpus());
  machine.memory = "host memory";
  if (!all_agree(comm, trouble.empty())) {
    machine.remarks.push_back(trouble.empty() ? "another rank has no GPU, so all fields lie in host memory"
                                              : "no GPU: " + trouble);
    return machine;
  }
  machine.device = std::move(opened.device);
  machine.memory = machine.device->describe(machine.device->current_gpu());
  return machine;
}

std::string try_mpi_on_gpu(MPI_Comm comm, device::Device& device) {
  const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  const bool says_yes = query != nullptr && query() == 1;
  if (!all_agree(comm, says_yes))
    return query == nullptr ? "not tried: this MPI cannot be asked (no MPIX_Query_cuda_support)"
                            : "no: MPIX_Query_cuda_support says 0";
  if (device.kind() != "cuda") return "not tried: the device is emulated";
  return send_to_self(device);
}

}  // namespace halyard::live
