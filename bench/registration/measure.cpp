// See measure.hpp.
#include "registration/measure.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <new>

#include "halyard/status.hpp"
#include "memory/cache.hpp"

namespace halyard::bench {
namespace {

using Clock = std::chrono::steady_clock;
using memory::Cache;
using memory::MemoryKind;

constexpr std::align_val_t kPage{4096};
constexpr int kHitsPerSample = 1000;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Pages that are there: the cost of a first touch is not that of registering.
class Touched {
 public:
  explicit Touched(std::size_t bytes) : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(bytes, kPage))) {
    std::fill_n(data_.get(), bytes, std::byte{1});
  }
  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, kPage); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

/// Runs `step`, whose failure is a result as well.
RegistrationResult measured(std::string name, const std::function<void(RegistrationResult&)>& step) {
  RegistrationResult result;
  result.method = std::move(name);
  try {
    step(result);
  } catch (const Error& error) {
    result.samples_us.clear();
    result.not_run = error.status().text();
  }
  return result;
}

void add_alone(memory::Registrar& registrar, const Touched& memory, int rounds,
               std::vector<RegistrationResult>& results) {
  RegistrationResult ended;
  ended.method = "deregister";
  results.push_back(measured("register", [&](RegistrationResult& made) {
    for (int i = 0; i < rounds; ++i) {
      auto start = Clock::now();
      auto registration = registrar.register_range(memory.data(), memory.bytes(), MemoryKind::host);
      made.samples_us.push_back(us_since(start));
      start = Clock::now();
      registration.reset();
      ended.samples_us.push_back(us_since(start));
    }
    made.is_verified = ended.is_verified = true;
  }));
  ended.not_run = results.back().not_run;
  results.push_back(std::move(ended));
}

RegistrationResult miss(memory::Registrar& registrar, const Touched& memory, int rounds) {
  return measured("miss", [&](RegistrationResult& result) {
    Cache cache(registrar, {.regions = 1024, .bytes = 1});  // keeps nothing
    for (int i = 0; i < rounds; ++i) {
      const auto start = Clock::now();
      { const auto lease = cache.acquire(memory.data(), memory.bytes(), MemoryKind::host); }
      result.samples_us.push_back(us_since(start));
    }
    result.is_verified = cache.counters().misses == static_cast<std::uint64_t>(rounds);
  });
}

/// Mean of many per sample: one is shorter than the clock's own cost.
template <class Take>
RegistrationResult repeated(std::string name, memory::Registrar& registrar, int rounds, const Take& take) {
  return measured(std::move(name), [&](RegistrationResult& result) {
    Cache cache(registrar, {});
    take(cache);
    for (int i = 0; i < rounds; ++i) {
      const auto start = Clock::now();
      for (int k = 0; k < kHitsPerSample; ++k) take(cache);
      result.samples_us.push_back(us_since(start) / kHitsPerSample);
    }
    result.is_verified = cache.counters().misses == 1;
    if (!result.is_verified) result.not_run = memory::UnmapEvents::of_process()->why_deaf();
  });
}

}  // namespace

std::vector<RegistrationResult> measure_registration(memory::Registrar& registrar, std::size_t bytes, int rounds) {
  const Touched memory(bytes);
  std::vector<RegistrationResult> results;
  add_alone(registrar, memory, rounds, results);
  results.push_back(miss(registrar, memory, rounds));
  results.push_back(repeated("hit", registrar, rounds, [&](Cache& cache) {
    const auto lease = cache.acquire(memory.data(), memory.bytes(), MemoryKind::host);
  }));
  // One cache line, so that the price of zeroing, which is memory's, does not hide that of the lease.
  if (bytes == 4096)
    results.push_back(
        repeated("buffer", registrar, rounds, [](Cache& cache) { const auto lease = cache.allocate(64); }));
  return results;
}

}  // namespace halyard::bench
