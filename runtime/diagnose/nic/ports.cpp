// port: are RDMA ports up, at the width and rate that their likes have, and is the interface's MTU large enough for a
// full RDMA packet?
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnose/nic/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::nic {
namespace {

using topology::RdmaDevice;
using topology::RdmaPort;

// RoCE takes the largest of 256 … 4096 that fits into the interface's MTU with its headers.
constexpr std::int64_t kFullMtu = 4200;

bool is_ethernet(const RdmaPort& port) { return port.link_layer == "Ethernet"; }

std::size_t num_active(const topology::RdmaDevices& rdma) {
  std::size_t count = 0;
  for (const RdmaDevice& device : rdma.devices)
    count += static_cast<std::size_t>(std::count_if(device.ports.begin(), device.ports.end(), topology::is_active));
  return count;
}

// The fastest port of each model: one that is slower has a bad cable or the wrong port of the switch.
std::map<std::string, double> best_rates(const topology::RdmaDevices& rdma) {
  std::map<std::string, double> best;
  for (const RdmaDevice& device : rdma.devices)
    for (const RdmaPort& port : device.ports)
      if (topology::is_active(port)) best[device.board] = std::max(best[device.board], port.gbit_s);
  return best;
}

std::vector<std::string> evidence_of(const RdmaPort& port) {
  return {fmt::format("{}: state \"{}\", phys_state \"{}\", link_layer \"{}\", rate \"{}\"", port.sysfs,
                      facts::quoted_text(port.state), facts::quoted_text(port.physical_state),
                      facts::quoted_text(port.link_layer), facts::quoted_text(port.rate))};
}

void judge_state(const RdmaPort& port, std::size_t num_others, Finding& finding) {
  if (port.state.empty()) {
    finding.verdict = Verdict::unknown;
    finding.summary = "the port's state cannot be read";
    return;
  }
  finding.verdict = num_others == 0 ? Verdict::fail : Verdict::warn;
  finding.summary = fmt::format("the port is {} ({}){}", facts::quoted_text(port.state),
                                facts::quoted_text(port.physical_state), num_others == 0 ? ", and no other is up" : "");
  if (port.state == "INIT" || port.state == "ARMED")
    finding.remedy =
        "the link is there and no subnet manager has configured it: start opensm (or the switch's), then 'ibstat'";
  else if (is_ethernet(port))
    finding.remedy = fmt::format("ip link set {} up; then cable, transceiver and switch port: 'ethtool {}'",
                                 port.netdev.empty() ? "<interface>" : port.netdev,
                                 port.netdev.empty() ? "<interface>" : port.netdev);
  else
    finding.remedy =
        "check cable and switch port ('ibstat', 'mlxlink -d <device>'); if it is not meant to be used, leave it "
        "out with HALYARD_VERBS_DEVICE";
}

// "100 Gb/sec (2X HDR)": InfiniBand cables have four lanes (1X and 2X are a split or a damaged one).
bool is_narrow(const RdmaPort& port) {
  return !is_ethernet(port) &&
         (port.rate.find("(1X") != std::string::npos || port.rate.find("(2X") != std::string::npos);
}

void judge_mtu(const Machine& machine, const RdmaPort& port, Finding& finding) {
  if (!is_ethernet(port) || port.netdev.empty()) return;
  const auto text = read_as_evidence(machine.root(), "/sys/class/net/" + port.netdev + "/mtu", finding.evidence);
  const auto mtu = facts::number_in(text.text);
  if (!mtu || *mtu >= kFullMtu || finding.verdict != Verdict::ok) return;
  finding.verdict = Verdict::warn;
  finding.summary += fmt::format("; MTU {} of {} leaves RDMA packets of less than 4096 bytes", *mtu, port.netdev);
  finding.remedy = fmt::format("ip link set {} mtu 9000, on all hosts and switches of the network", port.netdev);
}

Finding check_port(const Machine& machine, const RdmaDevice& device, const RdmaPort& port, double best_rate) {
  Finding finding;
  finding.evidence = evidence_of(port);
  if (!topology::is_active(port)) {
    judge_state(port, num_active(machine.rdma()), finding);
  } else {
    finding.verdict = Verdict::ok;
    finding.summary = fmt::format("{}, {}", facts::quoted_text(port.link_layer), facts::quoted_text(port.rate));
    if (is_narrow(port) || port.gbit_s < best_rate) {
      finding.verdict = Verdict::warn;
      finding.summary += port.gbit_s < best_rate ? fmt::format(": slower than the {} Gb/s of its likes", best_rate)
                                                 : ": fewer lanes than a whole cable has";
      finding.remedy =
          fmt::format("check cable, transceiver and switch port: mlxlink -d {} -p {}", device.name, port.number);
    }
    judge_mtu(machine, port, finding);
  }
  finding.subject = name_of(device, port);
  return finding;
}

}  // namespace

Findings check_ports(const Machine& machine) {
  const auto& rdma = machine.rdma();
  Findings findings;
  auto best = best_rates(rdma);
  for (const RdmaDevice& device : rdma.devices) {
    for (const RdmaPort& port : device.ports) findings.push_back(check_port(machine, device, port, best[device.board]));
    if (device.ports.empty())
      findings.push_back({"",
                          device.name,
                          Verdict::unknown,
                          "its ports cannot be read",
                          {device.sysfs + "/ports: nothing there"},
                          ""});
  }
  if (findings.empty()) return nothing_to_check("no RDMA device");
  return findings;
}

}  // namespace halyard::diagnose::nic
