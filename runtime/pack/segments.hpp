// segments_of: the few pieces of memory that make a whole message, where there are only few. Set-up; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pack/program.hpp"

namespace halyard::pack {

/// Bytes that lie together in a field and in the message.
struct Segment {
  Place source = 0;
  std::int64_t offset = 0;  // in the message
  std::int64_t bytes = 0;
};

/// What `packing`, from fields to a message, copies: ascending in the message, as long pieces as there are. Nothing
/// when there are more than `most`, or single elements.
std::optional<std::vector<Segment>> segments_of(const Program& packing, std::size_t most);

/// The same of any message: how many rows it is packed from. For texts.
std::int64_t num_rows(const Program& packing);

}  // namespace halyard::pack
