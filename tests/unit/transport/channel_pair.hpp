// ChannelPair: both ends of one channel in this process, over loopback or over two shared segments. What the tests of
// every mailbox path are run on.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "transport/worker.hpp"

namespace halyard::transport::test {

enum class Medium { loopback, shared };

/// Names of test parameters.
std::string name_of(const testing::TestParamInfo<Medium>& info);

using Decorate = std::function<std::unique_ptr<Worker>(std::unique_ptr<Worker>)>;

/// Two ranks, 0 and 1, each with a worker that knows the other.
struct WorkerPair {
  explicit WorkerPair(Medium medium, const Decorate& decorate_first = nullptr);
  std::unique_ptr<Worker> workers[2];
};

/// A spec for one end; the other end is mirrored(spec).
ChannelSpec spec_of(std::int64_t send_bytes, std::int64_t receive_bytes, std::uint64_t binding = 1);
ChannelSpec mirrored(const ChannelSpec& spec);

/// Opened, addresses swapped, connected. `a` belongs to rank 0.
struct ChannelPair {
  ChannelPair(WorkerPair& ranks, const ChannelSpec& spec_of_a);
  std::unique_ptr<Channel> a;
  std::unique_ptr<Channel> b;
};

/// Writes `value` as the whole message and posts it.
void post_number(Channel& channel, std::uint64_t value, std::uint64_t tag);
/// The number that the next message consists of.
std::uint64_t number_in(const Incoming& incoming);

}  // namespace halyard::transport::test
