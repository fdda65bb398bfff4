// Findings as JSON: written for machines, and read again as a baseline. Pure.
#pragma once

#include <string>
#include <string_view>

#include "diagnose/finding.hpp"

namespace halyard::doctor {

/// An object with format "halyard-doctor-1", version, commit, machine, verdict and findings. Ends with a line break.
std::string json_of(const diagnose::Findings& findings, std::string_view machine);

/// The findings of such a text. Throws Error(invalid_argument) that says what is wrong with it.
diagnose::Findings findings_in(std::string_view json);

}  // namespace halyard::doctor
