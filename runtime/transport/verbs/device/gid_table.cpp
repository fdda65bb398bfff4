// See gid_table.hpp.
#include "transport/verbs/device/gid_table.hpp"

#include <cstring>

namespace halyard::transport::verbs {
namespace {

GidType type_of(std::uint32_t gid_type) {
  if (gid_type == IBV_GID_TYPE_ROCE_V2) return GidType::roce_v2;
  return gid_type == IBV_GID_TYPE_ROCE_V1 ? GidType::roce_v1 : GidType::infiniband;
}

// All ports' rows in one call; rows that cannot be read are left out. The kernel refuses a buffer of 64 KiB or more
// (EINVAL, docs/gotchas.md), and older ones the call: then row by row.
std::vector<ibv_gid_entry> read_entries(ibv_context* context, int port, int table_length) {
  constexpr std::size_t kMost = 65535 / sizeof(ibv_gid_entry);
  std::vector<ibv_gid_entry> entries(kMost);
  const auto count = ibv_query_gid_table(context, entries.data(), entries.size(), 0);
  entries.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count >= 0) return entries;
  for (int index = 0; index < table_length; ++index) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(context, static_cast<std::uint32_t>(port), static_cast<std::uint32_t>(index), &entry, 0) == 0)
      entries.push_back(entry);
  }
  return entries;
}

}  // namespace

std::vector<GidRow> read_gids(ibv_context* context, int port, int table_length) {
  std::vector<GidRow> rows;
  for (const ibv_gid_entry& entry : read_entries(context, port, table_length)) {
    if (entry.port_num != static_cast<std::uint32_t>(port)) continue;
    GidRow row;
    row.index = static_cast<int>(entry.gid_index);
    row.type = type_of(entry.gid_type);
    std::memcpy(row.bytes.data(), entry.gid.raw, row.bytes.size());
    if (!is_zero(row)) rows.push_back(row);
  }
  return rows;
}

}  // namespace halyard::transport::verbs
