// Field case S01: messages of 2 GiB and more, from field to message to field, on a machine without that much memory.
//
// Large arrays are address space whose pages are one small piece of memory, over and over, but for the last ones: what
// lies beyond 4 GiB is memory of its own, so an offset cut to 32 bits would put it elsewhere and be seen. The channel
// is a mock: one buffer in the same kind of memory, and a note of what was posted.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>

#include "exchange/assembly.hpp"

namespace halyard::test {
namespace {

constexpr std::int64_t kPiece = std::int64_t{1} << 21;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

class Folded {
 public:
  explicit Folded(std::int64_t bytes) : bytes_((bytes / kPiece + 2) * kPiece) {
    base_ =
        mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const int file = memfd_create("halyard_test", 0);
    is_there_ = base_ != MAP_FAILED && file >= 0 && ftruncate(file, kPiece) == 0;
    const std::int64_t own_from = bytes / kPiece * kPiece;
    for (std::int64_t at = 0; is_there_ && at < own_from; at += kPiece) map(at, kPiece, MAP_SHARED, file);
    if (is_there_) map(own_from, bytes_ - own_from, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (file >= 0) close(file);
  }
  Folded(const Folded&) = delete;
  Folded& operator=(const Folded&) = delete;
  ~Folded() {
    if (base_ != MAP_FAILED) munmap(base_, static_cast<std::size_t>(bytes_));
  }
  bool is_there() const { return is_there_; }
  std::byte* at(std::int64_t offset) const { return static_cast<std::byte*>(base_) + offset; }

 private:
  void map(std::int64_t at, std::int64_t bytes, int how, int file) {
    void* const mapped = mmap(this->at(at), static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                              how | MAP_FIXED | MAP_NORESERVE | MAP_POPULATE, file, 0);
    is_there_ = is_there_ && mapped != MAP_FAILED;
  }

  std::int64_t bytes_;
  void* base_ = MAP_FAILED;
  bool is_there_ = false;
};

// One message from whoever posts to whoever receives.
struct Wire {
  std::byte* buffer = nullptr;
  std::int64_t bytes_announced = 0;  // by the specs of the channels
  std::int64_t bytes_posted = -1;
  std::uint64_t tag = 0;
  bool is_consumed = false;
};

class WireChannel final : public transport::Channel {
 public:
  explicit WireChannel(Wire& wire) : wire_(wire) {}
  transport::Blob address() override { return {}; }
  void connect(std::span<const std::byte>) override {}
  bool may_post() override { return wire_.bytes_posted < 0; }
  std::byte* send_buffer() override { return wire_.buffer; }
  void post(std::int64_t bytes, std::uint64_t tag) override {
    wire_.bytes_posted = bytes;
    wire_.tag = tag;
  }
  std::uint64_t num_delivered() override { return wire_.bytes_posted < 0 ? 0 : 1; }
  std::optional<transport::Incoming> receive() override {
    if (wire_.bytes_posted < 0 || wire_.is_consumed) return std::nullopt;
    return transport::Incoming{wire_.buffer, wire_.tag};
  }
  void release() override { wire_.is_consumed = true; }
  std::string form() const override { return "wire"; }

 private:
  Wire& wire_;
};

class WireWorker final : public transport::Worker {
 public:
  explicit WireWorker(Wire& wire) : wire_(wire) {}
  Path path() const override { return Path::shared; }
  std::unique_ptr<transport::Channel> open(const transport::ChannelSpec& spec) override {
    wire_.bytes_announced = std::max(spec.send_bytes, spec.receive_bytes);
    return std::make_unique<WireChannel>(wire_);
  }

 private:
  Wire& wire_;
};

// Rank 0 owns a patch of `large` cells of one byte and one of 8; all of them are ghosts of rank 1's only patch. Written
// by hand: box_halo would give patch 1 a halo of that width too.
Pattern pattern_of(int rank, std::int64_t large) {
  const auto cells = [](std::int64_t lo, std::int64_t hi) { return Box{{lo, 0, 0}, {hi, 1, 1}}; };
  const PieceEnd owned[2] = {{0, cells(0, large), {}}, {1, cells(0, 8), {}}};
  const PieceEnd ghosts[2] = {{0, cells(-large - 8, -8), {}}, {0, cells(-8, 0), {}}};
  Pattern pattern;
  pattern.rank = rank;
  pattern.num_ranks = 2;
  PatternNeighbor neighbor;
  neighbor.rank = 1 - rank;
  if (rank == 0) {
    pattern.patches = {{0, cells(0, large), {}}, {1, cells(large, large + 8), {}}};
    neighbor.sends = {{owned[0], ghosts[0], large}, {owned[1], ghosts[1], 8}};
    neighbor.send_hash = 1;
  } else {
    pattern.patches = {{2, cells(large + 8, large + 9), {}}};
    neighbor.receives = {{ghosts[0], owned[0], large}, {ghosts[1], owned[1], 8}};
    neighbor.receive_hash = 1;
  }
  pattern.neighbors.push_back(std::move(neighbor));
  return pattern;
}

FieldView line(std::byte* data, std::int64_t cells, std::int64_t first_owned) {
  return {"x", data, ElementType::opaque(1), {cells, 1, 1}, {1, 1, 1}, {first_owned, 0, 0}};
}

void run_exchange(int rank, std::int64_t large, std::span<const FieldView> views, Wire& wire) {
  WireWorker worker(wire);
  exchange::Workers workers{};
  workers[static_cast<std::size_t>(Path::shared)] = &worker;
  const FieldShape shape{"x", ElementType::opaque(1), {0, 1, 2}};
  exchange::Assembly assembly(Plan(pattern_of(rank, large), {shape}, PathFacts::uniform(Path::shared, rank, 2)), views,
                              workers, {});
  const transport::Blob closed(sizeof(std::uint64_t));  // the peer's fields are not open: messages are packed
  assembly.open({closed});
  const auto binding = assembly.connect({{}});
  const Status status = binding->wait(binding->start(exchange::Kind::forward, {}, {}));
  EXPECT_TRUE(status.ok()) << status.text();
}

std::byte code_of(std::int64_t cell) {
  const std::int64_t n = cell % kPiece;  // the same in every fold
  return static_cast<std::byte>(n * 7 + n / 251);
}

bool holds_codes(const Folded& memory, std::int64_t from, std::int64_t to) {
  for (std::int64_t cell = from; cell < to; ++cell)
    if (*memory.at(cell) != code_of(cell)) return false;
  return true;
}

class LargeMessage : public testing::TestWithParam<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(S01, LargeMessage, testing::Values(2 * kGiB - 1, 2 * kGiB, 4 * kGiB + 16));

TEST_P(LargeMessage, ArrivesWholeWithEveryByteInItsPlace) {
  const std::int64_t large = GetParam();
  const std::int64_t tail = large / kPiece * kPiece;
  const Folded source(large);
  const Folded message(large);
  const Folded target(large);
  if (!source.is_there() || !message.is_there() || !target.is_there())
    GTEST_SKIP() << "13 GiB of address space cannot be had (ulimit -v?)";
  for (std::int64_t cell = 0; cell < kPiece; ++cell) *source.at(cell) = code_of(cell);
  for (std::int64_t cell = tail; cell < large; ++cell) *source.at(cell) = code_of(cell);
  std::byte small[8];
  for (std::size_t i = 0; i < 8; ++i) small[i] = static_cast<std::byte>(0xa0 + i);
  *target.at(large + 8) = std::byte{0x77};

  Wire wire;
  wire.buffer = message.at(0);
  const FieldView owned[2] = {line(source.at(0), large, 0), line(small, 8, 0)};
  run_exchange(0, large, owned, wire);
  const std::int64_t offset_of_small = (large + 15) / 16 * 16;
  EXPECT_EQ(wire.bytes_posted, offset_of_small + 16);
  EXPECT_EQ(wire.bytes_announced, offset_of_small + 16);
  EXPECT_TRUE(std::equal(small, small + 8, message.at(offset_of_small)));

  const FieldView ghosts[1] = {line(target.at(0), large + 9, large + 8)};
  run_exchange(1, large, ghosts, wire);
  EXPECT_TRUE(holds_codes(target, 0, kPiece));
  EXPECT_TRUE(holds_codes(target, tail, large));
  EXPECT_TRUE(std::equal(small, small + 8, target.at(large)));
  EXPECT_EQ(*target.at(large + 8), std::byte{0x77}) << "the owned cell";
}

}  // namespace
}  // namespace halyard::test
