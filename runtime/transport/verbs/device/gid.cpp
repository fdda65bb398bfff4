// See gid.hpp.
#include "transport/verbs/device/gid.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
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

// Lower is better.
std::tuple<int, int, int> order_of(const GidRow& row) {
  const int by_type = row.type == GidType::roce_v1 ? 1 : 0;
  const int by_address = is_link_local(row) ? 2 : is_ipv4(row) ? 0 : 1;
  return {by_type, by_address, row.index};
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
  throw Error(
      StatusCode::invalid_argument,
      fmt::format(
          "use GID index {} (HALYARD_VERBS_GID): {}", index,
          known.empty()
              ? "the port has no GID; give its network interface an address, or run 'halyard doctor --check gid'"
              : "the port has none there; it has " + known));
}

}  // namespace halyard::transport::verbs
