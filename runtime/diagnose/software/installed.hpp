// Installed: the versions of what stands between a program and the wire, as files and programs of a root say them. Pure
// data after reading; what is not there or cannot be read is empty.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "facts/root.hpp"

namespace halyard::diagnose::software {

/// Dotted numbers: 550.90.07, 1.13.1. Empty: not known.
struct Version {
  std::vector<int> numbers;

  bool is_known() const { return !numbers.empty(); }
  /// Known, and before `other`.
  bool is_before(const Version& other) const { return is_known() && numbers < other.numbers; }
  bool operator==(const Version&) const = default;
};

/// The first dotted number in `text` (at least one dot); empty when there is none.
Version version_in(std::string_view text);
std::string text_of(const Version& version);

struct Installed {
  Version kernel;
  Version driver;  // NVIDIA's kernel module
  bool is_open_driver = false;
  Version cuda_driver;  // libcuda, its user-space half
  Version cuda;         // toolkit
  Version rdma_core;    // 44.0
  Version ucx;
  Version open_mpi;
  bool has_peermem = false;           // nvidia_peermem or nv_peer_mem is loaded
  std::vector<std::string> evidence;  // verbatim, one for each that was found
};

Installed read_installed(const facts::Root& root);

}  // namespace halyard::diagnose::software
