// Bundles: a tree as a tar archive (ustar with GNU's long names), written for others to look at and read as somebody
// else's. Refused places become files of mode 0, unusable ones pipes; devices keep their permissions.
#pragma once

#include <string>
#include <string_view>

#include "facts/tree_root.hpp"

namespace halyard::facts {

/// The archive's bytes.
std::string tar_of(const TreeRoot& tree);

/// Fills `tree` from an archive. Throws Error(invalid_argument) that names the member for: a broken header, a member
/// outside the root, a link that points outside, sizes beyond the archive. Contents beyond Root::kMostBytes are cut.
void read_tar(std::string_view archive, TreeRoot& tree);

}  // namespace halyard::facts
