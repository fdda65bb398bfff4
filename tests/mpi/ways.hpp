// Way: one way for an exchange to travel: the path that is allowed, and whose memory holds the fields. Tests that must
// hold on every path run on each of kWays.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "halyard/halyard.hpp"
#include "support/coded_field.hpp"

namespace halyard::test {

enum class Memory {
  halyard,  // Context::allocate
  user,     // new[]
  mixed,    // even ranks Halyard's, odd ranks the user's
  gpu,      // of the device that HALYARD_DEVICE names, the emulated one when it is not set
};

struct Way {
  const char* name;
  Path path;
  Memory memory;

  bool is_on_gpu() const { return memory == Memory::gpu; }
  bool is_in_halyard_memory(int rank) const {
    return memory == Memory::halyard || (memory == Memory::mixed && rank % 2 == 0);
  }
};

inline constexpr Way kDirect{"direct", Path::shared, Memory::halyard};
inline constexpr Way kMailbox{"mailbox", Path::shared, Memory::user};
inline constexpr Way kMixed{"mixed", Path::shared, Memory::mixed};
inline constexpr Way kUcx{"ucx", Path::ucx, Memory::user};
inline constexpr Way kMpi{"mpi", Path::mpi, Memory::user};
inline constexpr std::array kWays{kDirect, kMailbox, kMixed, kUcx, kMpi};

inline constexpr Way kVerbs{"verbs", Path::verbs, Memory::user};
/// kVerbs where there is an RDMA device, as in the VM of tests/rdma; nothing elsewhere, so that nothing is skipped
/// there.
std::vector<Way> rdma_ways();

inline constexpr Way kGpuPeer{"gpu_peer", Path::peer, Memory::gpu};
inline constexpr Way kGpuStaged{"gpu_staged", Path::shared, Memory::gpu};
inline constexpr Way kGpuOverMpi{"gpu_over_mpi", Path::mpi, Memory::gpu};
inline constexpr std::array kGpuWays{kGpuPeer, kGpuStaged};

/// GPU memory over a network: UCX stages it, the emulated GPU's is reached by verbs. rdma_gpu_ways() are both where
/// there is an RDMA device, nothing elsewhere.
inline constexpr Way kGpuOverUcx{"gpu_over_ucx", Path::ucx, Memory::gpu};
inline constexpr Way kGpuOverVerbs{"gpu_over_verbs", Path::verbs, Memory::gpu};
std::vector<Way> rdma_gpu_ways();

inline std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }

/// What the context of a GPU way opens as Options::device.
std::string gpu_device_name();
/// How much less a test does with fields on a GPU; on a real one binding takes tens of milliseconds.
int gpu_thrift();
/// The same on an emulated processor (tests/rdma): TEST_THRIFT, 1 when it is not set.
int machine_thrift();
/// The very device that such a context uses; null where there is no GPU.
std::shared_ptr<device::Device> gpu_device();

/// Forces the way's path; a deadline that a loaded machine keeps, and that ends before ctest's limit.
Options options_of(const Way& way);

/// Why this way cannot be taken here (no UCX, no /dev/shm); empty when it can. The same on every rank.
std::string closed(const Context& context, const Way& way);

/// Memory as the way wants it on this rank. The context must outlive what it hands out.
Allocate allocate_on(Context& context, const Way& way);

/// What is wrong with the paths and forms that a binding took; empty when each neighbor is reached as the way says.
std::string other_way(const Binding& binding, const Way& way);

/// A test on each way: context() of MPI_COMM_WORLD, or a skip that says why.
class OnEveryWay : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override;
  void TearDown() override { context_.reset(); }
  const Way& way() const { return GetParam(); }
  virtual Options options() const { return options_of(way()); }
  Context& context() { return *context_; }
  Allocate memory() { return allocate_on(*context_, way()); }

 private:
  std::unique_ptr<Context> context_;
};

inline std::string name_of_way(const testing::TestParamInfo<Way>& info) { return info.param.name; }

}  // namespace halyard::test
