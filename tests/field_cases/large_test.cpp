// Field case S01: byte counts beyond what an int holds, without gigabytes of memory. What is sent is untouched memory,
// which reads as zero and costs nothing; what is received is folded onto 64 MiB. Only marks have pages of their own:
// at both ends and around every multiple of 2 GiB, where a wrapped count would miss.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <stdexcept>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"

namespace halyard::test {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

std::int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kib = 0;
  for (std::string rest; file >> name >> kib; std::getline(file, rest))
    if (name == "MemAvailable:") return kib * 1024;
  return 0;
}

std::vector<std::int64_t> marks(std::int64_t bytes) {
  if (bytes == 0) return {};
  std::vector<std::int64_t> places{0, 1, bytes / 2, bytes - 17, bytes - 1};
  for (std::int64_t at = 2 * kGiB; at < bytes; at += 2 * kGiB)
    for (const std::int64_t near : {-1, 0, 1, 15}) places.push_back(std::min(at + near, bytes - 1));
  return places;
}

class Unmap {
 public:
  explicit Unmap(std::size_t bytes) : bytes_(bytes) {}
  void operator()(std::byte* memory) const { munmap(memory, bytes_); }

 private:
  std::size_t bytes_;
};
using Mapped = std::unique_ptr<std::byte, Unmap>;

void map_at(std::byte* place, std::int64_t bytes, int file) {
  const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* mapped = mmap(place, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0);
  if (mapped == MAP_FAILED) throw std::runtime_error("mmap failed");
}

/// First `folded` bytes that are written at little cost, of which only the marks are kept; then `plain` bytes of zero.
Mapped make_memory(std::int64_t folded, std::int64_t plain) {
  constexpr std::int64_t kFold = 64 << 20;
  constexpr std::int64_t kPage = 4096;
  const auto bytes = static_cast<std::size_t>(folded + plain + 2 * kPage);
  auto* base =
      static_cast<std::byte*>(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (base == reinterpret_cast<std::byte*>(MAP_FAILED)) throw std::runtime_error("mmap failed");
  Mapped memory(base, Unmap(bytes));
  const int file = memfd_create("fold", 0);
  if (file < 0 || ftruncate(file, kFold) != 0) throw std::runtime_error("memfd_create failed");
  for (std::int64_t at = 0; at < folded; at += kFold) map_at(base + at, std::min(kFold, folded - at), file);
  close(file);
  for (const std::int64_t mark : marks(folded)) map_at(base + mark / kPage * kPage, kPage, -1);
  std::byte* after = base + (folded + kPage - 1) / kPage * kPage;
  map_at(after, plain + kPage, -1);
  madvise(after, static_cast<std::size_t>(plain), MADV_HUGEPAGE);  // reads then meet one huge page of zeros
  return memory;
}

std::byte code(std::int64_t place) { return static_cast<std::byte>(place % 251 + 1); }

void mark(std::byte* data, std::int64_t bytes) {
  for (const std::int64_t place : marks(bytes)) data[place] = code(place);
}

std::string wrong_marks(const std::byte* data, std::int64_t bytes) {
  for (const std::int64_t place : marks(bytes))
    if (data[place] != code(place)) return "byte " + std::to_string(place) + " of " + std::to_string(bytes);
  return {};
}

/// `bytes` cells of one byte, and as many ghosts below.
FieldView bytes_view(std::byte* data, std::int64_t bytes) {
  FieldView view{"large", data, ElementType::opaque(1), {2 * bytes, 1, 1}, {}, {bytes, 0, 0}};
  view.set_dense_strides(Storage::x_fastest);
  return view;
}

TEST(S01, AnExchangeOfARankWithItselfIsRightAtTwoGibibytesAndAbove) {
  for_first_ranks({1}, [&](MPI_Comm comm) {
    Context context(comm, options_of(kMailbox));
    for (const std::int64_t bytes : {2 * kGiB - 1, 2 * kGiB, 4 * kGiB + 16}) {
      const auto memory = make_memory(bytes, bytes);
      const BoxHalo halo{Decomposition::grid(Box::of_extent({bytes, 1, 1}), {1, 1, 1}),
                         {true, false, false},
                         Width{{bytes, 0, 0}, {0, 0, 0}}};
      HaloExchange exchange(context, box_halo(halo, 0), {bytes_view(memory.get(), bytes)});
      mark(memory.get() + bytes, bytes);
      const Status status = exchange.forward().wait();
      ASSERT_TRUE(status.ok()) << status.text();
      EXPECT_EQ(wrong_marks(memory.get(), bytes), "");
      EXPECT_EQ(exchange.plan().neighbors().at(0).send.bytes, (bytes + 15) / 16 * 16);
    }
  });
}

// Rank 0 owns everything that moves; rank 1 owns one byte and holds the rest as ghosts.
std::string wrong_between_ranks(Context& context, std::int64_t bytes, std::byte* data) {
  const bool is_owner = context.rank() == 0;
  const BoxHalo halo{Decomposition::cuts({{{0, bytes, bytes + 1}, {0, 1}, {0, 1}}}),
                     {false, false, false},
                     Width{{bytes, 0, 0}, {0, 0, 0}}};
  FieldView view{"large", data, ElementType::opaque(1), {bytes, 1, 1}, {}, {0, 0, 0}};
  if (!is_owner) view.extent[0] = view.origin[0] = bytes;
  if (!is_owner) ++view.extent[0];
  view.set_dense_strides(Storage::x_fastest);
  HaloExchange exchange(context, box_halo(halo, context.rank()), {view});
  if (is_owner) mark(data, bytes);
  const Status status = exchange.forward().wait();
  if (!status.ok()) return status.text();
  return is_owner ? "" : wrong_marks(data, bytes);
}

TEST(S01, AMessageOfMoreThanTwoGibibytesOverMpiIsRight) {
  constexpr std::int64_t kBytes = 2 * kGiB + 16;
  const bool fits = available_bytes() > 6 * kGiB;
  if (!first_wrong(MPI_COMM_WORLD, fits ? "" : "no").empty()) GTEST_SKIP() << "needs 6 GiB of memory";
  Context context(MPI_COMM_WORLD, options_of(kMpi));
  const auto memory = context.rank() == 0 ? make_memory(0, kBytes) : make_memory(kBytes, 1);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong_between_ranks(context, kBytes, memory.get())), "");
}

TEST(S01, AMessageOfMoreThanTwoGibibytesInHalyardsMemoryIsRight) {
  constexpr std::int64_t kBytes = 2 * kGiB + 16;
  const bool fits = available_bytes() > 7 * kGiB;
  if (!first_wrong(MPI_COMM_WORLD, fits ? "" : "no").empty()) GTEST_SKIP() << "needs 7 GiB of memory";
  Context context(MPI_COMM_WORLD, options_of(kDirect));
  if (const auto why = closed(context, kDirect); !why.empty()) GTEST_SKIP() << why;
  void* memory = nullptr;
  const auto error = error_of([&] { memory = context.allocate(static_cast<std::size_t>(kBytes) + 1); });
  if (const auto why = first_wrong(MPI_COMM_WORLD, error ? error->text() : ""); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong_between_ranks(context, kBytes, static_cast<std::byte*>(memory))), "");
  context.deallocate(memory);
}

}  // namespace
}  // namespace halyard::test
