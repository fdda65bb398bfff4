// Roots by their name on the command line, and bundles written to a file.
#pragma once

#include <memory>
#include <string>

#include "facts/root.hpp"
#include "facts/tree_root.hpp"

namespace halyard::facts {

/// A folder, or a bundle (tar, at most 256 MiB). Throws Error(invalid_argument).
std::unique_ptr<Root> open_root(const std::string& path);

/// Writes a new file. Throws Error(invalid_argument) when there is one, Error(out_of_resources) when it cannot be
/// written.
void write_bundle(const TreeRoot& tree, const std::string& path);

}  // namespace halyard::facts
