// See kokkos_scope.hpp.
#include "common/kokkos_scope.hpp"

#include <Kokkos_Core.hpp>
#include <string_view>
#include <utility>

namespace halyard::app {

KokkosScope::KokkosScope(const char* program, std::vector<std::string> arguments, const HostSpaces& host_only)
    : words_(std::move(arguments)), host_only_(host_only) {
  if (host_only_.is_wanted) {
    if (!words_.empty())
      problem_ =
          words_.front() + ": this Kokkos is built for GPUs and takes no arguments where there is none; leave it out";
    host_only_.open();
  } else {
    words_.insert(words_.begin(), program);
    open();
  }
}

void KokkosScope::open() {
  for (std::string& word : words_) pointers_.push_back(word.data());
  pointers_.push_back(nullptr);
  int count = static_cast<int>(words_.size());
  Kokkos::initialize(count, pointers_.data());  // keeps what it does not know, and --kokkos-help
  for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
    if (pointers_[i] != std::string_view("--kokkos-help"))
      problem_ = std::string(pointers_[i]) + ": Kokkos does not know this argument; --kokkos-help lists those it does";
}

KokkosScope::~KokkosScope() {
  if (host_only_.is_wanted)
    host_only_.close();
  else
    Kokkos::finalize();
}

}  // namespace halyard::app
