// Address and Endpoint: where to listen, what comes back, a port that is taken.
#include "metrics/prometheus/endpoint.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/file_descriptor.hpp"
#include "halyard/status.hpp"
#include "halyard_config.hpp"

namespace halyard::metrics {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text, int rank = 0) {
  try {
    return "taken as " + Address::parse("HALYARD_METRICS_PORT", text, rank).text();
  } catch (const Error& error) {
    return error.status().text();
  }
}

TEST(Address, IsOfThisMachineOnlyUnlessToldOtherwise) {
  EXPECT_EQ(Address::parse("P", "9400", 0).text(), "127.0.0.1:9400");
  EXPECT_EQ(Address::parse("P", "9400", 3).text(), "127.0.0.1:9403");
  EXPECT_EQ(Address::parse("P", "0.0.0.0:9400", 1).text(), "0.0.0.0:9401");
  EXPECT_EQ(Address::parse("P", "[::1]:9400", 0).text(), "[::1]:9400");
}

TEST(Address, RefusesWhatIsNoPort) {
  for (const char* bad : {"", "0", "-1", "65536", "94x", "http", ":9400", "localhost:", "9400 "})
    EXPECT_EQ(refusal(bad), std::string("HALYARD_METRICS_PORT='") + bad +
                                "': expected a port, 1 to 65535 with one for each rank of a node from it on, or "
                                "host:port");
  EXPECT_NE(refusal("65535", 1), "") << "the second rank has none left";
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// A port that was free a moment ago; with `keeps` it is not free.
int bound_port(base::FileDescriptor& keeps) {
  keeps = base::FileDescriptor(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = loopback(0);
  socklen_t bytes = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(keeps.get(), generic, bytes), 0);
  EXPECT_EQ(listen(keeps.get(), 1), 0);
  EXPECT_EQ(getsockname(keeps.get(), generic, &bytes), 0);
  return ntohs(address.sin_port);
}

std::string get(int port, const std::string& path) {
  const base::FileDescriptor connection(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in address = loopback(port);
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return "no answer";
  const std::string request = "GET " + path + " HTTP/1.0\r\n\r\n";
  EXPECT_EQ(send(connection.get(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  char bytes[4096];
  for (ssize_t n = 0; (n = recv(connection.get(), bytes, sizeof(bytes), 0)) > 0;)
    answer.append(bytes, static_cast<std::size_t>(n));
  return answer;
}

class EndpointTest : public testing::Test {
 protected:
  void SetUp() override {
    if (HALYARD_HAVE_PROMETHEUS == 0) GTEST_SKIP() << "this build has no prometheus-cpp";
  }
};

TEST_F(EndpointTest, AnswersWithASnapshotTakenThen) {
  base::FileDescriptor reserved;
  Address address;
  address.port = bound_port(reserved);
  reserved = base::FileDescriptor();
  Metrics metrics;
  metrics.rank = 5;
  metrics.exposed.counts[2] = 4;
  metrics.exposed.sum_s = 0.25;
  const auto endpoint = Endpoint::open(address, [&] {
    ++metrics.forward_exchanges;
    return metrics;
  });
  (void)get(address.port, "/metrics");
  const std::string answer = get(address.port, "/metrics");
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  EXPECT_THAT(answer, HasSubstr("halyard_exchanges_total{rank=\"5\",kind=\"forward\"} 2"));
  EXPECT_THAT(answer, HasSubstr("halyard_exposed_seconds_bucket{rank=\"5\",le=\"+Inf\"} 4"));
  EXPECT_THAT(answer, HasSubstr("halyard_exposed_seconds_sum{rank=\"5\"} 0.25"));
}

TEST_F(EndpointTest, SaysThatAPortIsTaken) {
  base::FileDescriptor taken;
  Address address;
  address.port = bound_port(taken);
  try {
    const auto endpoint = Endpoint::open(address, [] { return Metrics(); });
    FAIL() << "took a port that is in use";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::out_of_resources);
    EXPECT_THAT(error.status().text(), HasSubstr("serve metrics on " + address.text() + ": "));
    EXPECT_THAT(error.status().text(), HasSubstr("is the port in use"));
  }
}

TEST(EndpointAbsent, SaysWhatIsMissing) {
  if (HALYARD_HAVE_PROMETHEUS != 0) GTEST_SKIP() << "this build has prometheus-cpp";
  EXPECT_THROW(Endpoint::open({}, nullptr), Error);
}

}  // namespace
}  // namespace halyard::metrics
