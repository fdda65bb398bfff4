#include "device/process_identity.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/device/child_process.hpp"

namespace halyard::device {
namespace {

TEST(ProcessIdentity, is_the_same_at_every_call) {
  EXPECT_EQ(this_process(), this_process());
  EXPECT_EQ(this_process().pid, getpid());
  EXPECT_NE(this_process().nonce, 0u);
}

TEST(ProcessIdentity, of_a_forked_child_is_its_own) {
  const ProcessIdentity parent = this_process();
  EXPECT_EQ(test::in_child([&] { return this_process().nonce == parent.nonce ? 1 : 0; }), 0);
  EXPECT_EQ(test::in_child([&] { return this_process().pid_space == parent.pid_space ? 0 : 1; }), 0);
}

}  // namespace
}  // namespace halyard::device
