# shellcheck shell=bash disable=SC2154
# Sourced in the VM of tests/rdma/vm: the RDMA devices of each kind of network, see there. A netdev MTU of 4200 gives RoCE
# packets of 4096 bytes.
rdma_mtu=4200

set_up_network() {
  case $network in
    none) ;;
    *) "set_up_$network" ;;
  esac
}

set_up_dummy() {
  ip link add dummy0 type dummy &&
    ip link set dummy0 mtu $rdma_mtu up &&
    ip addr add 10.77.0.1/24 dev dummy0 &&
    rdma link add rxe0 type rxe netdev dummy0
}

set_up_pair() {
  ip link set eth0 mtu $rdma_mtu up &&
    ip addr add "10.77.0.$((rank + 1))/24" dev eth0 &&
    rdma link add rxe0 type rxe netdev eth0
}

# Both ends of a veth pair in one namespace. A packet to an own address would be delivered at once, so the local table
# is asked last, after a table for each end that sends to the other address through the wire. soft-RoCE looks routes up with
# the device set, TCP without: it stays on lo.
set_up_wire() {
  ip link add va type veth peer name vb &&
    ip rule add pref 100 lookup local && ip rule del pref 0 &&
    set_up_end va 1 && set_up_end vb 2 &&
    mend_wire &&
    rdma link add rxe0 type rxe netdev va && rdma link add rxe1 type rxe netdev vb
}

set_up_end() { # <netdev> <number: 1 or 2>
  sysctl -qw "net.ipv4.conf.$1.accept_local=1" "net.ipv4.conf.$1.rp_filter=0" "net.ipv4.conf.$1.arp_ignore=1" &&
    ip link set "$1" mtu $rdma_mtu &&
    ip rule add pref "1$2" oif "$1" lookup "10$2"
}

# Also after a test: a link that went down has lost its route and its neighbor.
mend_wire() {
  local end
  for end in va vb; do
    tc qdisc del dev "$end" root 2>/dev/null
    tc qdisc del dev "$end" clsact 2>/dev/null
    ip link set "$end" mtu $rdma_mtu up
  done
  mend_end va 1 vb && mend_end vb 2 va
}

mend_end() { # <netdev> <number: 1 or 2> <netdev at the other end>
  ip addr replace "10.77.0.$2/32" dev "$1" &&
    ip route replace "10.77.0.$((3 - $2))" dev "$1" table "10$2" &&
    ip neigh replace "10.77.0.$((3 - $2))" lladdr "$(cat "/sys/class/net/$3/address")" dev "$1" nud permanent
}
