// See gid.hpp.
#include "transport/verbs/device/gid.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "halyard/status.hpp"

namespace halyard::transport::verbs {
namespace {

constexpr std::array<std::uint8_t, 12> kIpv4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::string_view name_of(GidType type) {
  switch (type) {
    case GidType::roce_v1:
      return "RoCE v1";
    case GidType::roce_v2:
      return "RoCE v2";
    case GidType::infiniband:
      break;
  }
  return "InfiniBand";
}

GidType type_of(std::uint32_t gid_type) {
  if (gid_type == IBV_GID_TYPE_ROCE_V2) return GidType::roce_v2;
  return gid_type == IBV_GID_TYPE_ROCE_V1 ? GidType::roce_v1 : GidType::infiniband;
}

// Lower is better.
std::tuple<int, int, int> order_of(const GidRow& row) {
  const int by_type = row.type == GidType::roce_v1 ? 1 : 0;
  const int by_address = is_link_local(row) ? 2 : is_ipv4(row) ? 0 : 1;
  return {by_type, by_address, row.index};
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

bool is_zero(const GidRow& row) {
  // A GID of a port without an address has its prefix only.
  return std::all_of(row.bytes.begin() + 8, row.bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool is_link_local(const GidRow& row) {
  if (is_ipv4(row)) return row.bytes[12] == 169 && row.bytes[13] == 254;
  // InfiniBand's default subnet prefix is fe80:: too, and is as good as any there.
  return row.type != GidType::infiniband && row.bytes[0] == 0xfe && (row.bytes[1] & 0xc0) == 0x80;
}

bool is_ipv4(const GidRow& row) { return std::equal(kIpv4Prefix.begin(), kIpv4Prefix.end(), row.bytes.begin()); }

std::string address_text(const GidRow& row) {
  char text[INET6_ADDRSTRLEN] = {};
  if (is_ipv4(row))
    inet_ntop(AF_INET, row.bytes.data() + kIpv4Prefix.size(), text, sizeof text);
  else
    inet_ntop(AF_INET6, row.bytes.data(), text, sizeof text);
  return text;
}

std::string text_of(const GidRow& row) {
  return fmt::format("{} GID {} ({})", name_of(row.type), row.index, address_text(row));
}

std::optional<GidRow> choose_gid(const std::vector<GidRow>& rows) {
  std::optional<GidRow> best;
  for (const GidRow& row : rows)
    if (!is_zero(row) && (!best || order_of(row) < order_of(*best))) best = row;
  return best;
}

GidRow gid_at(const std::vector<GidRow>& rows, int index) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const GidRow& row) { return row.index == index; });
  if (found != rows.end() && !is_zero(*found)) return *found;
  std::string known;
  for (const GidRow& row : rows)
    if (!is_zero(row)) known += (known.empty() ? "" : ", ") + text_of(row);
  throw Error(StatusCode::invalid_argument,
              fmt::format("use GID index {} (HALYARD_VERBS_GID): {}", index,
                          known.empty() ? "the port has no GID; give its network interface an address"
                                        : "the port has none there; it has " + known));
}

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
