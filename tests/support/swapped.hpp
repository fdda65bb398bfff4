// swapped: what each rank gets from its neighbors, from what everybody gave to theirs. Plays MPI in one process.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "transport/channel.hpp"

namespace halyard::test {

using Blobs = std::vector<transport::Blob>;

inline std::vector<Blobs> swapped(const std::vector<std::vector<int>>& neighbors, const std::vector<Blobs>& given) {
  std::map<std::pair<int, int>, transport::Blob> by_pair;
  for (std::size_t r = 0; r < given.size(); ++r)
    for (std::size_t i = 0; i < given[r].size(); ++i) by_pair[{static_cast<int>(r), neighbors[r][i]}] = given[r][i];
  std::vector<Blobs> got(given.size());
  for (std::size_t r = 0; r < given.size(); ++r)
    for (const int peer : neighbors[r]) got[r].push_back(by_pair.at({peer, static_cast<int>(r)}));
  return got;
}

}  // namespace halyard::test
