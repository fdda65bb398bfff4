// KokkosScope: Kokkos, open while this lives. Main thread only; one at a time.
//
// Kokkos is given its own arguments only, as it reads words like --help as well. A Kokkos with a GPU back end gives up
// where there is no GPU; there only its host spaces are opened, which is all that --device host needs.
#pragma once

#include <string>
#include <vector>

namespace halyard::app {

/// How Kokkos' host spaces are opened alone, and whether they must be.
struct HostSpaces {
  bool is_wanted = false;
  void (*open)() = nullptr;
  void (*close)() = nullptr;
};

class KokkosScope {
 public:
  KokkosScope(const char* program, std::vector<std::string> arguments, const HostSpaces& host_only = {});
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
  ~KokkosScope();

  /// What is wrong with an argument; empty when Kokkos took all.
  const std::string& problem() const { return problem_; }

 private:
  void open();

  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  std::string problem_;
  HostSpaces host_only_;
};

}  // namespace halyard::app
