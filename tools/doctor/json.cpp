// See json.hpp.
#include "doctor/json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "halyard/status.hpp"
#include "halyard/version.hpp"

namespace halyard::doctor {
namespace {

using diagnose::Finding;
using diagnose::Findings;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "halyard-doctor-1";

Json json_of(const Finding& finding) {
  return {{"check", finding.check},
          {"subject", finding.subject},
          {"verdict", name_of(finding.verdict)},
          {"summary", finding.summary},
          {"evidence", finding.evidence},
          {"remedy", finding.remedy},
          {"page", diagnose::page_of(finding.check)}};
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(StatusCode::invalid_argument,
              fmt::format("read a baseline: {}; make one with 'halyard doctor --json > FILE'", why));
}

Finding finding_in(const Json& json) {
  Finding finding;
  finding.check = json.at("check").get<std::string>();
  finding.subject = json.at("subject").get<std::string>();
  finding.summary = json.at("summary").get<std::string>();
  const auto word = json.at("verdict").get<std::string>();
  const auto verdict = diagnose::verdict_in(word);
  if (!verdict) refuse("there is no verdict '" + word + "'");
  finding.verdict = *verdict;
  return finding;
}

}  // namespace

std::string json_of(const Findings& findings, std::string_view machine) {
  Json json{{"format", kFormat},
            {"version", version()},
            {"commit", commit()},
            {"machine", machine},
            {"verdict", name_of(diagnose::worst_of(findings))},
            {"findings", Json::array()}};
  for (const Finding& finding : findings) json["findings"].push_back(json_of(finding));
  // What was read may be any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Findings findings_in(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) refuse("it is no JSON");
  if (!json.is_object() || !json.contains("format") || json["format"] != kFormat)
    refuse(fmt::format("its format is not {}", kFormat));
  try {
    Findings findings;
    for (const Json& item : json.at("findings")) findings.push_back(finding_in(item));
    return findings;
  } catch (const Json::exception& error) {
    refuse(error.what());
  }
}

}  // namespace halyard::doctor
