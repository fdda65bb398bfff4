// Launchers of the kernels that measure limits; see ../methods/limits.cpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace halyard::bench {

/// One rank's end of a flag that goes to and fro. Words and count lie in GPU memory and start at 0.
struct PingPong {
  std::uint64_t* mine = nullptr;    // written by the partner
  std::uint64_t* theirs = nullptr;  // the partner's, mapped
  std::uint64_t* count = nullptr;   // round trips so far, kept between launches
  int num_trips = 0;
  bool is_first = false;
};

void launch_ping_pong(const PingPong& ping_pong, cudaStream_t stream);
void launch_empty(cudaStream_t stream);

}  // namespace halyard::bench
