// detours: settings that are real and do what they say, and thereby take data off the direct path or make it slow.
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "diagnose/environment/variables.hpp"

namespace halyard::diagnose {

enum class Harm {
  direct_path_off,  // data goes by a slower network, or is copied on the way
  gpu_path_off,     // the same, for data in GPU memory
  slower,           // the path stays, each message costs more
};

struct Detour {
  Harm harm;
  std::string setting;  // "NCCL_P2P_DISABLE=1"
  std::string what;     // what it does
  std::string remedy;   // "unset NCCL_P2P_DISABLE"
};

std::vector<Detour> detours(const Variables& variables);

}  // namespace halyard::diagnose
