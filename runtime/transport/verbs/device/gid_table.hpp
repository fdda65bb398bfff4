// The GID table of a port as the device tells it; gid.hpp chooses from it.
#pragma once

#include <vector>

#include "transport/verbs/device/gid.hpp"
#include "transport/verbs/handles.hpp"

namespace halyard::transport::verbs {

/// The rows of a port that can be read and are not empty.
std::vector<GidRow> read_gids(ibv_context* context, int port, int table_length);

}  // namespace halyard::transport::verbs
