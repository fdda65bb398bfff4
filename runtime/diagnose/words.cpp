// See words.hpp.
#include "diagnose/words.hpp"

#include <fmt/format.h>

#include "facts/text.hpp"

namespace halyard::diagnose {

Findings nothing_to_check(std::string why, std::vector<std::string> evidence) {
  return {{"", "", Verdict::not_applicable, std::move(why), std::move(evidence), ""}};
}

facts::Reading read_as_evidence(const facts::Root& root, const std::string& path, std::vector<std::string>& evidence) {
  auto reading = root.read(path);
  evidence.push_back(facts::evidence_of(path, reading));
  return reading;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    const bool is_last = i + 1 == names.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + names[i];
  }
  return names.size() > kMost ? text + fmt::format(" and {} more", names.size() - kMost) : text;
}

}  // namespace halyard::diagnose
