// Window: what a rank tells a neighbor about its fields, so that the neighbor can read them where they lie.
//
// Sent once, while binding. A rank whose fields are not all open to the neighbor says so, and its messages are packed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halyard/field.hpp"
#include "pack/compile.hpp"
#include "transport/worker.hpp"

namespace halyard::exchange {

/// This rank's window for peers on `worker`.
transport::Blob window_of(std::span<const FieldView> views, const transport::Worker& worker);

/// A window that shows nothing.
transport::Blob closed_window();

/// The peer's fields in this process's addresses, views[field * patches + patch]; nothing when they are not open.
std::optional<std::vector<pack::Grid>> grids_of(std::span<const std::byte> window, int peer,
                                                const transport::Worker& worker);

/// Names of the fields that are not open to peers on `worker`, "u, v"; empty when all are.
std::string closed_fields(std::span<const FieldView> views, const transport::Worker& worker);

/// Whether a window, own or peer's, opens the fields.
bool is_open(std::span<const std::byte> window);

}  // namespace halyard::exchange
