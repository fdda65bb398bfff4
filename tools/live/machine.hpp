// Where the fields of a live run lie, and what MPI makes of GPU memory.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace halyard::live {

struct LiveMachine {
  int num_nodes = 1;
  std::shared_ptr<device::Device> device;  // null: host memory
  std::string memory;                      // "host memory", "NVIDIA H200 (GPU-…)"
  std::vector<std::string> remarks;
};

/// Collective. `choice` as Options::device. Makes GPU (local rank modulo number of GPUs) the current one. Host memory
/// on all ranks when one of them has no GPU.
LiveMachine look_at_machine(MPI_Comm comm, const std::string& choice);

/// Asks MPI whether it takes GPU memory and, when it says yes, sends some to itself. "yes, tried: …", or why not. A
/// library that crashes on it is stopped with a message, so this comes last.
std::string try_mpi_on_gpu(MPI_Comm comm, device::Device& device);

}  // namespace halyard::live
