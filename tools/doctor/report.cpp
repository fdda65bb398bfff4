// See report.hpp.
#include "doctor/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace halyard::doctor {
namespace {

using diagnose::Finding;
using diagnose::Findings;
using diagnose::Verdict;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kMostShown = 8;

/// Neighboring findings of one check.
struct Group {
  std::string check;
  Findings findings;
  Verdict worst = Verdict::not_applicable;
};

std::vector<Group> groups_of(const Findings& findings) {
  std::vector<Group> groups;
  for (const Finding& finding : findings) {
    if (groups.empty() || groups.back().check != finding.check) groups.push_back({finding.check, {}, {}});
    groups.back().findings.push_back(finding);
    groups.back().worst = std::max(groups.back().worst, finding.verdict);
  }
  return groups;
}

std::string_view color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::fail:
      return "\x1b[31m";
    case Verdict::warn:
      return "\x1b[33m";
    case Verdict::ok:
      return "\x1b[32m";
    default:
      return "\x1b[2m";
  }
}

std::string painted(Verdict verdict, std::string_view text, Color color) {
  if (color == Color::no) return std::string(text);
  return fmt::format("{}{}\x1b[0m", color_of(verdict), text);
}

// Characters, not bytes: a continuation byte of UTF-8 takes no column.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Breaks at blanks; the first line has `used` columns before it, those after it begin with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t used, std::size_t indent) {
  std::string result;
  std::size_t column = used;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!is_first && column + 1 + width_of(word) > kColumns) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width_of(word);
    is_first = false;
  }
  return result;
}

// "FAIL     peermem  mlx5_0: …"
std::string entry(const Group& group, Color color) {
  constexpr std::size_t kIndent = 9;
  Findings worst;
  std::copy_if(group.findings.begin(), group.findings.end(), std::back_inserter(worst),
               [&](const Finding& finding) { return finding.verdict == group.worst; });
  const Finding& first = worst.front();
  std::string text = group.check + ": " + (first.subject.empty() ? "" : first.subject + ": ") + first.summary;
  if (worst.size() > 1) text += fmt::format(" (and {} more)", worst.size() - 1);
  const std::string label = group.worst == Verdict::fail ? "FAIL" : "WARN";
  std::string result = painted(group.worst, label, color) + std::string(kIndent - label.size(), ' ') +
                       wrapped(text, kIndent, kIndent) + "\n";
  if (!first.remedy.empty()) result += "     do: " + wrapped(first.remedy, kIndent, kIndent) + "\n";
  return result;
}

std::string names_line(const std::vector<Group>& groups, Verdict verdict) {
  std::string names;
  for (const Group& group : groups)
    if (group.worst == verdict) names += (names.empty() ? "" : ", ") + group.check;
  if (names.empty()) return "";
  const std::string label = fmt::format("{}: ", name_of(verdict));
  return label + wrapped(names, label.size(), 9) + "\n";
}

std::string headline(const Counts& counts, std::string_view machine, Color color) {
  const Verdict worst = counts.fail > 0      ? Verdict::fail
                        : counts.warn > 0    ? Verdict::warn
                        : counts.unknown > 0 ? Verdict::unknown
                                             : Verdict::ok;
  const std::string_view word = worst == Verdict::fail   ? "a direct path is closed"
                                : worst == Verdict::warn ? "works, and not as well as it could"
                                : worst == Verdict::unknown
                                    ? "nothing wrong was found, and not everything could be seen"
                                    : "nothing stands in the way";
  return fmt::format("{}: {} ({} fail, {} warn, {} unknown, {} ok, {} not applicable)\n", machine,
                     painted(worst, word, color), counts.fail, counts.warn, counts.unknown, counts.ok,
                     counts.not_applicable);
}

std::string detail(const Finding& finding, Color color) {
  std::string text = fmt::format("{}  {}{}: {}\n", painted(finding.verdict, name_of(finding.verdict), color),
                                 finding.check, finding.subject.empty() ? "" : " " + finding.subject, finding.summary);
  for (const std::string& item : finding.evidence) text += "  saw: " + item + "\n";
  if (!finding.remedy.empty()) text += "  do:  " + finding.remedy + "\n";
  return text;
}

}  // namespace

Counts counts_of(const Findings& findings) {
  Counts counts;
  for (const Group& group : groups_of(findings)) switch (group.worst) {
      case Verdict::fail:
        ++counts.fail;
        break;
      case Verdict::warn:
        ++counts.warn;
        break;
      case Verdict::unknown:
        ++counts.unknown;
        break;
      case Verdict::ok:
        ++counts.ok;
        break;
      case Verdict::not_applicable:
        ++counts.not_applicable;
        break;
    }
  return counts;
}

std::string summary_text(const Findings& findings, std::string_view machine, Color color) {
  const auto groups = groups_of(findings);
  std::string text = headline(counts_of(findings), machine, color);
  std::size_t shown = 0;
  std::string left;
  for (const Verdict verdict : {Verdict::fail, Verdict::warn})
    for (const Group& group : groups) {
      if (group.worst != verdict) continue;
      if (shown++ < kMostShown)
        text += entry(group, color);
      else
        left += (left.empty() ? "" : ", ") + group.check;
    }
  if (!left.empty()) text += "and more: " + wrapped(left, 10, 9) + "\n";
  text += names_line(groups, Verdict::unknown) + names_line(groups, Verdict::ok);
  return text + "what was seen: halyard doctor --details, or --check NAME; what it means: docs/doctor/NAME.md\n";
}

std::string details_text(const Findings& findings, Color color) {
  std::string text;
  for (const Group& group : groups_of(findings)) {
    for (const Finding& finding : group.findings) text += detail(finding, color);
    text += "  see: " + diagnose::page_of(group.check) + "\n";
  }
  return text;
}

std::string prolog_line(const Findings& findings) {
  std::string line;
  for (const Verdict verdict : {Verdict::fail, Verdict::warn})
    for (const Finding& finding : findings)
      if (finding.verdict == verdict)
        line += fmt::format("{}{}: {}{}: {}", line.empty() ? "" : "; ", name_of(verdict), finding.check,
                            finding.subject.empty() ? "" : " " + finding.subject, finding.summary);
  const Counts counts = counts_of(findings);
  if (line.empty()) line = fmt::format("ok: {} checks", counts.ok);
  return "halyard doctor: " + line + (counts.unknown > 0 ? fmt::format("; {} unknown", counts.unknown) : "");
}

int prolog_exit(const Findings& findings) {
  const Counts counts = counts_of(findings);
  return counts.fail > 0 ? 2 : counts.warn > 0 ? 1 : 0;
}

}  // namespace halyard::doctor
