// chunks: from runs to the chunks and tiles of Tables, alike for both ends of a message. Used by compile.cpp and
// compile_ghosts.cpp. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "pack/device/compile.hpp"
#include "pack/device/runs.hpp"

namespace halyard::pack::device {

/// How many chunks a message of `bytes` has; 0 for none.
std::uint32_t num_chunks_of(std::int64_t bytes);
std::uint32_t num_packet_chunks_of(std::int64_t bytes);

/// A chunk before its tiles have their place in the table.
struct Draft {
  Chunk chunk;
  std::vector<Tile> tiles;
};

/// Chunk k holds part k of every section; tiles of the sections take turns. `like` is the first chunk; those that
/// follow have the words that follow.
void append_chunks(const std::vector<std::vector<Part>>& sections, std::uint32_t num_chunks, Chunk like,
                   std::vector<Run>& runs, std::vector<Draft>& drafts);

/// Has the receive chunks from `first` on wait for their link's first word: the host raises all of a message at once.
inline void await_one_word(std::vector<Draft>& drafts, std::size_t first) {
  for (std::size_t i = first; i < drafts.size(); ++i) drafts[i].chunk.wait = kFirstArrived;
}

/// Appends drafts as the table's next chunks; answers how many they are.
std::uint32_t append(const std::vector<Draft>& drafts, Tables& tables);

}  // namespace halyard::pack::device
