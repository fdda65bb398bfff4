// gid: has each RoCE port an address that others can reach, and does a variable force another? The row is chosen by the
// function that the verbs transport uses (field case N01), so that both say the same.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diagnose/nic/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"
#include "transport/verbs/device/gid.hpp"

namespace halyard::diagnose::nic {
namespace {

using topology::GidText;
using topology::RdmaDevice;
using topology::RdmaPort;
using transport::verbs::GidRow;
using transport::verbs::GidType;

constexpr std::array kForcing{"HALYARD_VERBS_GID", "UCX_IB_GID_INDEX", "NCCL_IB_GID_INDEX"};

// Rows whose type cannot be read are as good as none: a guess would be wrong on some vendor's device.
std::vector<GidRow> rows_of(const RdmaPort& port, std::vector<std::string>& evidence) {
  std::vector<GidRow> rows;
  for (const GidText& text : port.gids) {
    GidRow row;
    row.index = text.index;
    row.type = text.type == "RoCE v2" ? GidType::roce_v2 : GidType::roce_v1;
    const bool is_address = inet_pton(AF_INET6, text.gid.c_str(), row.bytes.data()) == 1;
    if (!is_address || text.type.empty())
      evidence.push_back(fmt::format("{}/gids/{}: \"{}\" of type \"{}\": left out", port.sysfs, text.index,
                                     facts::quoted_text(text.gid), facts::quoted_text(text.type)));
    else
      rows.push_back(row);
  }
  return rows;
}

Finding judge(const std::optional<GidRow>& best, const RdmaPort& port) {
  Finding finding;
  const std::string interface = port.netdev.empty() ? "<interface>" : port.netdev;
  if (!best) {
    const bool is_known = port.unreadable.empty();
    finding.verdict = is_known ? Verdict::fail : Verdict::unknown;
    finding.summary = is_known ? "no usable GID: the port's interface has no address" : "the GID table cannot be read";
    finding.remedy =
        is_known ? fmt::format("ip addr add <address>/<prefix> dev {}; ip link set {} up", interface, interface) : "";
    return finding;
  }
  finding.verdict = Verdict::ok;
  finding.summary = text_of(*best);
  if (best->type == GidType::roce_v1) {
    finding.verdict = Verdict::warn;
    finding.summary += ": RoCE v1 only, which no router passes on and many switches do not protect from loss";
    finding.remedy = fmt::format(
        "let the port speak RoCE v2: cma_roce_mode -d <device> -p {} -m 2, or a firmware that offers it", port.number);
  } else if (is_link_local(*best)) {
    finding.verdict = Verdict::warn;
    finding.summary += ": a link-local address, which reaches hosts of the same link only";
    finding.remedy = fmt::format("ip addr add <address>/<prefix> dev {}", interface);
  }
  return finding;
}

// A forced index is a guess that was right on the machine of whoever wrote it down.
void judge_forced(const Machine& machine, const std::vector<GidRow>& rows, const std::optional<GidRow>& best,
                  Finding& finding) {
  for (const char* name : kForcing) {
    const auto value = machine.variable(name);
    const auto index = value ? facts::number_in(*value) : std::nullopt;
    if (!index || *index < 0 || (best && *index == best->index)) continue;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const GidRow& r) { return r.index == *index; });
    const bool is_there = row != rows.end();
    finding.verdict = std::max(finding.verdict, is_there ? Verdict::warn : Verdict::fail);
    finding.evidence.push_back(fmt::format("{}={}", name, facts::quoted_text(*value)));
    finding.summary += is_there ? fmt::format("; {} takes {} instead", name, text_of(*row))
                                : fmt::format("; {} takes row {}, which is empty", name, *index);
    finding.remedy = fmt::format("unset {}{}", name, best ? fmt::format(", or set it to {}", best->index) : "");
  }
}

Finding check_port(const Machine& machine, const RdmaDevice& device, const RdmaPort& port) {
  std::vector<std::string> evidence = port.unreadable;
  const auto rows = rows_of(port, evidence);
  const auto best = transport::verbs::choose_gid(rows);
  Finding finding = judge(best, port);
  finding.subject = name_of(device, port);
  for (const GidRow& row : rows) evidence.push_back(fmt::format("{}/gids: {}", port.sysfs, text_of(row)));
  if (evidence.empty()) evidence.push_back(port.sysfs + "/gids: no row that is not empty");
  finding.evidence = std::move(evidence);
  judge_forced(machine, rows, best, finding);
  return finding;
}

}  // namespace

Findings check_gids(const Machine& machine) {
  Findings findings;
  for (const RdmaDevice& device : machine.rdma().devices)
    for (const RdmaPort& port : device.ports)
      if (port.link_layer == "Ethernet") findings.push_back(check_port(machine, device, port));
  if (findings.empty()) return nothing_to_check("no RoCE port");
  return findings;
}

}  // namespace halyard::diagnose::nic
