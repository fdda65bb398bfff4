// The pattern and the views of a bench case in Halyard's terms; shared by the methods for host and GPU memory.
#pragma once

#include <vector>

#include "halo/fields.hpp"
#include "halyard/halyard.hpp"

namespace halyard::bench {

/// Ghosts on all sides with all 26 neighbors, or on both sides of the case's axis.
Pattern box_pattern(const Geometry& geometry);
std::vector<FieldView> grid_views(const Geometry& geometry, const FieldSet& fields);

}  // namespace halyard::bench
