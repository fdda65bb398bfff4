// Which GID of a port a connection uses: decided by what each row of the table says, never by a fixed index (field case
// N01; the same index means something else on every vendor's device).
//
// Pure, and compiled with or without libibverbs: the doctor chooses from what /sys says as the transport does from what
// the device says (gid_table.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halyard::transport::verbs {

enum class GidType : std::uint8_t { infiniband, roce_v1, roce_v2 };

struct GidRow {
  int index = 0;
  std::array<std::uint8_t, 16> bytes{};
  GidType type = GidType::infiniband;
};

bool is_zero(const GidRow& row);
bool is_link_local(const GidRow& row);
bool is_ipv4(const GidRow& row);

/// "10.77.0.1", "fe80::1", …
std::string address_text(const GidRow& row);
/// "RoCE v2 GID 1 (10.77.0.1)"
std::string text_of(const GidRow& row);

/// The best row: RoCE v2 before v1, an IPv4 address before a routable IPv6 address before a link-local one, a low index
/// before a high one. Empty rows are skipped. Nothing when no row is left.
std::optional<GidRow> choose_gid(const std::vector<GidRow>& rows);

/// Row `index` as the user asked for. Throws Error(invalid_argument) that lists the rows there are.
GidRow gid_at(const std::vector<GidRow>& rows, int index);

}  // namespace halyard::transport::verbs
