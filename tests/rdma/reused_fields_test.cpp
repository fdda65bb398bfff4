// Field cases R01 and R02 as an application meets them: fields are bound, exchanged, freed, and others come at their
// address. See memory/reuse_test.cpp for the registration cache below.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stdexcept>

#include "halyard/exchange.hpp"
#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"
#include "rdma/wire.hpp"

namespace halyard::test {
namespace {

/// Hands out one block at a time, always at one address, and takes it back past every library.
class OneAddress {
 public:
  std::shared_ptr<std::byte[]> operator()(std::size_t bytes) {
    const int fixed = at_ == nullptr ? 0 : MAP_FIXED_NOREPLACE;
    void* memory = mmap(at_, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
    if (memory == MAP_FAILED || (at_ != nullptr && memory != at_)) throw std::runtime_error("the address is taken");
    at_ = memory;
    return {static_cast<std::byte*>(memory), [bytes](std::byte* m) { syscall(SYS_munmap, m, bytes); }};
  }

 private:
  void* at_ = nullptr;
};

class RdmaReusedFields : public OnEveryWay {};

// A border that is large and one piece of memory: a path that sends from fields does it here.
TEST_P(RdmaReusedFields, R01R02FieldsThatComeBackAtTheirAddressAreExchangedAnew) {
  constexpr std::int64_t kCells = 2048;
  const int cycles = machine_thrift() == 1 ? 1000 : 30;  // each binds anew
  const int size = context().size();
  const auto problem = plain_case(Decomposition::grid(Box::of_extent({kCells * size, 1, 1}), {size, 1, 1}),
                                  {true, false, false}, Width::axes(kCells / 2, 0, 0));
  const Pattern pattern = box_halo(problem.halo, context().rank());
  OneAddress one_address;
  std::string wrong;
  std::uint64_t step = 0;
  for (int cycle = 0; cycle < cycles && wrong.empty(); ++cycle) {
    CodedField field(problem.halo, pattern.patches.at(0), {}, 0, std::ref(one_address));
    HaloExchange exchange(context(), pattern, {field.view()});
    for (const std::uint64_t end = step + 2; step < end && wrong.empty(); ++step) {
      field.fill(step);
      if (const Status status = exchange.forward().wait(); !status.ok()) wrong = status.text();
      if (wrong.empty()) wrong = field.check(step);
    }
    if (!wrong.empty()) wrong += " in cycle " + std::to_string(cycle);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, RdmaReusedFields, testing::ValuesIn(kWireWays), name_of_way);

}  // namespace
}  // namespace halyard::test
