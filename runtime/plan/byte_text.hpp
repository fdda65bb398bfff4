// byte_text: a number of bytes for people, "66.0 KiB". Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace halyard::plan {

std::string byte_text(std::int64_t bytes);

}  // namespace halyard::plan
