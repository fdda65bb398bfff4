// The machine we run on, with what the doctor may try on it.
#pragma once

#include <memory>

#include "facts/file_root.hpp"

namespace halyard::doctor {

/// Trial "register-gpu-page": one page of GPU memory registered with the nearest NIC.
std::unique_ptr<facts::LiveRoot> live_root();

}  // namespace halyard::doctor
