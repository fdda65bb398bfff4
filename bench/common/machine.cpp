// What the machine says of itself; see machine.hpp.
#include "common/machine.hpp"

#include <mpi.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace halyard::bench {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0 ? name.release : "unknown";
}

/// The first part of the library's version text: up to the first comma or line end.
std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

/// The value of a text control variable of the MPI library; empty when it has none of that name.
std::string control_variable(const char* name) {
  int thread_level = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &thread_level) != MPI_SUCCESS) return "";
  std::array<char, 256> text{};
  int index = 0;
  int count = 0;
  MPI_T_cvar_handle variable{};
  if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &variable, &count) == MPI_SUCCESS) {
    if (count < static_cast<int>(text.size())) MPI_T_cvar_read(variable, text.data());
    MPI_T_cvar_handle_free(&variable);
  }
  MPI_T_finalize();
  return text.data();
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string pml_selection() {
  std::string pml = environment("OMPI_MCA_pml");
  if (pml.empty()) pml = control_variable("pml");
  return pml.empty() ? "default" : pml;
}

}  // namespace

Machine read_machine() {
  return {cpu_model(),      static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
          kernel_release(), mpi_library(),
          pml_selection(),  environment("UCX_RNDV_THRESH")};
}

// sysfs first: in virtual machines sysconf may report the host's whole cache.
std::size_t last_level_cache_bytes() {
  constexpr std::size_t kKiB = 1024;
  std::ifstream sysfs("/sys/devices/system/cpu/cpu0/cache/index3/size");
  std::size_t kib = 0;
  if (sysfs >> kib && kib > 0) return kib * kKiB;
  return 32 * kKiB * kKiB;
}

}  // namespace halyard::bench
