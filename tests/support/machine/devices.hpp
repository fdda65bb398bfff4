// The devices of a machine written as text, see tree_text.hpp: what the kernel shows of them in /sys.
#pragma once

#include <string_view>

#include "facts/tree_root.hpp"

namespace halyard::test {

void put_pci(facts::TreeRoot& tree, std::string_view words);
void put_config(facts::TreeRoot& tree, std::string_view words);
void put_rdma(facts::TreeRoot& tree, std::string_view words);
void put_gid(facts::TreeRoot& tree, std::string_view words);

}  // namespace halyard::test
