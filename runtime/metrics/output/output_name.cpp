// See output_name.hpp.
#include "metrics/output/output_name.hpp"

#include <fmt/format.h>

#include "halyard/status.hpp"

namespace halyard::metrics {
namespace {

[[noreturn]] void refuse(std::string_view variable, std::string_view pattern, std::string_view why) {
  throw Error(StatusCode::invalid_argument, fmt::format("{}='{}': {}", variable, pattern, why));
}

std::string with_number(const std::string& name, int number) {
  if (number <= 1) return name;
  const auto slash = name.rfind('/');
  const auto dot = name.rfind('.');
  const bool has_extension = dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
  const auto at = has_extension ? dot : name.size();
  return fmt::format("{}.{}{}", name.substr(0, at), number, name.substr(at));
}

}  // namespace

std::string output_name(std::string_view variable, std::string_view pattern, const Writer& writer, Files files) {
  std::string name;
  bool has_rank = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      name += pattern[i];
      continue;
    }
    const char what = ++i < pattern.size() ? pattern[i] : '\0';
    if (what != 'r' && what != '%') refuse(variable, pattern, "after % only r (the rank) or another % may stand");
    has_rank = has_rank || what == 'r';
    name += what == 'r' ? std::to_string(writer.rank) : "%";
  }
  if (files == Files::per_rank && writer.num_ranks > 1 && !has_rank)
    refuse(variable, pattern,
           fmt::format("{} ranks would write one file; put %r, the rank, into the name", writer.num_ranks));
  if (name.empty() || name.back() == '/') refuse(variable, pattern, "expected the name of a file");
  return with_number(name, writer.number);
}

}  // namespace halyard::metrics
