// CountingRegistrar: a registrar that registers nothing and counts all. It has room for so much, like a NIC under a
// limit on locked memory, and can be told to fail.
#pragma once

#include <cerrno>
#include <cstring>
#include <deque>
#include <vector>

#include "memory/registrar.hpp"

namespace halyard::test {

class CountingRegistrar final : public memory::Registrar {
 public:
  struct Room {
    std::size_t regions = SIZE_MAX;
    std::size_t bytes = SIZE_MAX;
  };
  CountingRegistrar() = default;
  explicit CountingRegistrar(Room room) : room_(room) {}

  std::string name() const override { return "a counting registrar"; }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes,
                                                       memory::MemoryKind kind) override {
    kinds.push_back(kind);
    if (!failures.empty()) {
      const int error = failures.front();
      failures.pop_front();
      fail(error);
    }
    if (num_regions + 1 > room_.regions || num_bytes + bytes > room_.bytes) fail(ENOMEM);
    ++num_registered;
    return std::make_unique<Counted>(*this, base, bytes);
  }

  std::deque<int> failures;  // errno of the next calls
  std::vector<memory::MemoryKind> kinds;
  std::size_t num_registered = 0;
  std::size_t num_failed = 0;
  std::size_t num_deregistered = 0;
  std::size_t num_regions = 0;  // now
  std::size_t num_bytes = 0;    // now

 private:
  class Counted final : public memory::Registration {
   public:
    Counted(CountingRegistrar& registrar, std::byte* base, std::size_t bytes)
        : Registration(base, bytes), registrar_(registrar) {
      ++registrar_.num_regions;
      registrar_.num_bytes += bytes;
    }
    ~Counted() override {
      ++registrar_.num_deregistered;
      --registrar_.num_regions;
      registrar_.num_bytes -= bytes();
    }

   private:
    CountingRegistrar& registrar_;
  };

  [[noreturn]] void fail(int error) {
    ++num_failed;
    throw memory::RegistrationError(error, std::string("register_range: ") + std::strerror(error));
  }

  const Room room_;
};

}  // namespace halyard::test
