// See installed.hpp.
#include "diagnose/software/installed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>

#include "facts/text.hpp"

namespace halyard::diagnose::software {
namespace {

constexpr std::string_view kDriver = "/proc/driver/nvidia/version";
constexpr std::array<std::string_view, 6> kLibraryFolders{"/usr/lib/x86_64-linux-gnu",
                                                          "/usr/lib/aarch64-linux-gnu",
                                                          "/usr/lib/powerpc64le-linux-gnu",
                                                          "/usr/lib64",
                                                          "/usr/lib",
                                                          "/lib64"};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

class Reader {
 public:
  explicit Reader(const facts::Root& root) : root_(root) {}
  Installed read();

 private:
  Version of_file(std::string_view path);
  /// Of the real file behind lib….so.N: libibverbs.so.1 -> libibverbs.so.1.14.44.0.
  Version of_library(std::string_view name);
  Version of_program(std::string_view question);

  const facts::Root& root_;
  Installed installed_;
};

Version Reader::of_file(std::string_view path) {
  const auto reading = root_.read(path, 4096);
  if (reading.ok()) installed_.evidence.push_back(facts::evidence_of(path, reading));
  return version_in(reading.text);
}

Version Reader::of_library(std::string_view name) {
  for (const auto folder : kLibraryFolders) {
    const std::string path = fmt::format("{}/{}", folder, name);
    const auto target = root_.link(path);
    if (!target.ok()) continue;
    const auto at = target.text.find(".so.");
    const Version version =
        at == std::string::npos ? Version{} : version_in(std::string_view(target.text).substr(at + 4));
    if (!version.is_known()) continue;
    installed_.evidence.push_back(facts::evidence_of(path, target));
    return version;
  }
  return {};
}

Version Reader::of_program(std::string_view question) {
  const auto answer = root_.output(question);
  if (!answer.ok()) return {};
  const auto version = version_in(answer.text);
  if (version.is_known())
    installed_.evidence.push_back(
        fmt::format("{}: \"{}\"", question, facts::quoted_text(facts::first_line(answer.text))));
  return version;
}

// libibverbs.so.1.14.44.0 is of rdma-core 44.0.
Version rdma_core_of(const Version& library) {
  if (library.numbers.size() != 4) return {};
  return {{library.numbers[2], library.numbers[3]}};
}

Installed Reader::read() {
  installed_.kernel = of_file("/proc/sys/kernel/osrelease");
  installed_.driver = of_file(kDriver);
  installed_.is_open_driver = root_.read(kDriver, 4096).text.find("Open Kernel Module") != std::string::npos;
  installed_.cuda_driver = of_library("libcuda.so.1");
  installed_.cuda = of_file("/usr/local/cuda/version.json");
  installed_.rdma_core = rdma_core_of(of_library("libibverbs.so.1"));
  installed_.ucx = of_program("ucx_info -v");
  installed_.open_mpi = of_program("ompi_info --version");
  installed_.has_peermem = root_.exists("/sys/module/nvidia_peermem") || root_.exists("/sys/module/nv_peer_mem") ||
                           root_.read("/proc/modules").text.find("nvidia_peermem ") != std::string::npos;
  return std::move(installed_);
}

}  // namespace

Version version_in(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!is_digit(text[begin]) || (begin > 0 && is_digit(text[begin - 1]))) continue;
    Version version;
    const char* at = text.data() + begin;
    const char* const last = text.data() + text.size();
    for (int number = 0;;) {
      const auto [end, error] = std::from_chars(at, last, number);
      if (error != std::errc{}) break;
      version.numbers.push_back(number);
      at = end;
      if (at == last || *at != '.' || at + 1 == last || !is_digit(at[1])) break;
      ++at;
    }
    if (version.numbers.size() > 1) return version;
  }
  return {};
}

std::string text_of(const Version& version) { return fmt::format("{}", fmt::join(version.numbers, ".")); }

Installed read_installed(const facts::Root& root) { return Reader(root).read(); }

}  // namespace halyard::diagnose::software
