// huge-pages: does the kernel give transparent huge pages to those who ask (madvise), as Halyard does for the memory
// that it hands out? For shared segments a second setting counts.
#include <fmt/format.h>

#include <array>

#include "diagnose/host/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::host {
namespace {

struct Setting {
  std::string_view path;
  std::string_view memory;   // whose pages it decides
  std::string_view refusal;  // values with which a wish is not granted
};

constexpr std::array kSettings{
    Setting{"/sys/kernel/mm/transparent_hugepage/enabled", "private memory", "never"},
    Setting{"/sys/kernel/mm/transparent_hugepage/shmem_enabled", "shared memory", "never deny"}};

// "always [madvise] never" -> madvise
std::string_view chosen_in(std::string_view text) {
  const auto begin = text.find('[');
  const auto end = text.find(']', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return text.substr(begin + 1, end - begin - 1);
}

Finding judge(const facts::Root& root, const Setting& setting) {
  const auto reading = root.read(setting.path);
  Finding finding;
  finding.subject = setting.memory;
  finding.evidence = {facts::evidence_of(setting.path, reading)};
  const auto chosen = chosen_in(reading.text);
  if (chosen.empty()) {
    finding.verdict = reading.access == facts::Access::missing ? Verdict::not_applicable : Verdict::unknown;
    finding.summary = finding.verdict == Verdict::unknown ? "cannot read how the kernel gives huge pages"
                                                          : "this kernel has no transparent huge pages";
    return finding;
  }
  bool is_refused = false;
  for (const auto word : facts::split(setting.refusal)) is_refused |= word == chosen;
  finding.verdict = is_refused ? Verdict::warn : Verdict::ok;
  finding.summary = fmt::format("huge pages are given: {}", chosen);
  if (is_refused)
    finding.remedy = fmt::format("echo {} > {} (as root; 'advise' and 'madvise' give them only to who asks)",
                                 setting.memory == "shared memory" ? "advise" : "madvise", setting.path);
  return finding;
}

}  // namespace

Findings check_huge_pages(const Machine& machine) {
  Findings findings;
  for (const Setting& setting : kSettings) findings.push_back(judge(machine.root(), setting));
  return findings;
}

}  // namespace halyard::diagnose::host
