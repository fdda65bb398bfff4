// See queue_pair.hpp.
#include "transport/verbs/queue_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <random>

#include "halyard/status.hpp"

namespace halyard::transport::verbs {
namespace {

std::atomic<std::uint64_t> open_now{0};

// 0.64 ms (InfiniBand's table of timers): explicit, because 0 means 655 ms. Never used while credits hold.
constexpr std::uint8_t kReceiverNotReadyTimer = 12;
constexpr std::uint8_t kReceiverNotReadyRetries = 6;  // 7 would mean: for ever
constexpr std::uint8_t kHops = 64;

std::uint32_t random_packet_number() {
  std::random_device source;
  return source() & 0xffffffU;
}

struct Room {
  std::uint32_t pieces = 1;
  std::uint32_t bytes = 0;  // inline
};

ibv_qp_init_attr_ex wanted(const Rail& rail, ibv_cq* completions, Room room) {
  ibv_qp_init_attr_ex wish{};
  wish.send_cq = wish.recv_cq = completions;
  wish.cap.max_send_wr = QueuePair::kSends;
  wish.cap.max_recv_wr = QueuePair::kReceives;
  wish.cap.max_send_sge = room.pieces;
  wish.cap.max_recv_sge = 1;
  wish.cap.max_inline_data = room.bytes;
  wish.qp_type = IBV_QPT_RC;
  wish.pd = rail.domain();
  wish.comp_mask = IBV_QP_INIT_ATTR_PD;
  return wish;
}

// Extended where the device has ibv_wr_*, which need no list of requests to be read; inline as large as it goes.
QueuePairHandle created(const Rail& rail, ibv_cq* completions, std::uint32_t pieces, std::uint32_t& max_inline) {
  for (const std::uint32_t bytes : {QueuePair::kInline, 64U, 0U}) {
    for (const bool is_extended : {true, false}) {
      ibv_qp_init_attr_ex wish = wanted(rail, completions, {pieces, bytes});
      if (is_extended) {
        wish.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
        wish.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
      }
      errno = 0;
      QueuePairHandle handle(ibv_create_qp_ex(rail.context(), &wish));
      if (handle == nullptr) continue;
      max_inline = wish.cap.max_inline_data;
      return handle;
    }
  }
  throw Error(StatusCode::out_of_resources,
              fmt::format("make a queue pair on {}: ibv_create_qp: {}; look at 'ulimit -l' and at how many queue pairs "
                          "the device has ('ibv_devinfo -v', max_qp)",
                          rail.name(), std::strerror(errno)));
}

void modify(ibv_qp* handle, ibv_qp_attr& attributes, int mask, const std::string& what) {
  const int error = ibv_modify_qp(handle, &attributes, mask);
  if (error == 0) return;
  throw Error(
      StatusCode::not_supported,
      fmt::format("{}: ibv_modify_qp: {}; is there a route between the two ports ('ip route get', 'rdma link'), "
                  "and do both use the same kind of GID (HALYARD_VERBS_GID)?",
                  what, std::strerror(error)));
}

void set_up(ibv_qp* handle, const Rail& rail) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = rail.port();
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  modify(handle, attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
         "set a queue pair up on " + rail.name());
}

ibv_ah_attr way_to(const Rail& rail, const QueuePairAddress& peer, const Settings& settings) {
  ibv_ah_attr way{};
  way.port_num = rail.port();
  way.dlid = peer.lid;
  way.sl = static_cast<std::uint8_t>(settings.options.service_level);
  way.is_global = peer.is_ethernet;
  if (peer.is_ethernet != 0) {
    std::memcpy(way.grh.dgid.raw, peer.gid, sizeof peer.gid);
    way.grh.sgid_index = static_cast<std::uint8_t>(rail.gid().index);
    way.grh.hop_limit = kHops;
    way.grh.traffic_class = static_cast<std::uint8_t>(settings.options.traffic_class);
  }
  return way;
}

}  // namespace

QueuePair::QueuePair(const Rail& rail, ibv_cq* completions, std::uint32_t id, std::uint32_t most_pieces)
    : rail_(rail),
      id_(id),
      handle_(created(rail, completions, most_pieces, max_inline_)),
      first_packet_(random_packet_number()) {
  ++open_now;
  for (std::size_t i = 0; i < kReceives; ++i) {
    receives_[i].wr_id = pack({id_, 0});
    receives_[i].next = i + 1 < kReceives ? &receives_[i + 1] : nullptr;
  }
  extended_ = ibv_qp_to_qp_ex(handle_.get());
  set_up(handle_.get(), rail);
  if (const int error = post_receives(kReceives); error != 0)
    throw Error(StatusCode::out_of_resources,
                fmt::format("post receives on {}: ibv_post_recv: {}", rail.name(), std::strerror(error)));
}

QueuePair::~QueuePair() { --open_now; }

std::uint64_t QueuePair::num_open() { return open_now; }

QueuePairAddress QueuePair::address() const {
  QueuePairAddress address;
  address.number = handle_->qp_num;
  address.first_packet = first_packet_;
  std::copy(rail_.gid().bytes.begin(), rail_.gid().bytes.end(), address.gid);
  address.lid = rail_.lid();
  address.mtu = static_cast<std::uint8_t>(rail_.mtu());
  address.is_ethernet = rail_.is_ethernet() ? 1 : 0;
  return address;
}

void QueuePair::connect(const QueuePairAddress& peer, int peer_rank, const Settings& settings) {
  const std::string what = fmt::format("connect {} to rank {}", rail_.name(), peer_rank);
  if ((peer.is_ethernet != 0) != rail_.is_ethernet())
    throw Error(StatusCode::not_supported, what +
                                               ": one port is Ethernet and the other InfiniBand; choose the ports "
                                               "with HALYARD_VERBS_DEVICE");
  ibv_qp_attr ready{};
  ready.qp_state = IBV_QPS_RTR;
  ready.path_mtu = static_cast<ibv_mtu>(std::min<int>(peer.mtu, rail_.mtu()));
  ready.dest_qp_num = peer.number;
  ready.rq_psn = peer.first_packet;
  ready.max_dest_rd_atomic = 1;
  ready.min_rnr_timer = kReceiverNotReadyTimer;
  ready.ah_attr = way_to(rail_, peer, settings);
  modify(handle_.get(), ready,
         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
             IBV_QP_MIN_RNR_TIMER,
         what);
  ibv_qp_attr sending{};
  sending.qp_state = IBV_QPS_RTS;
  sending.sq_psn = first_packet_;
  sending.timeout = static_cast<std::uint8_t>(settings.options.timeout);
  sending.retry_cnt = static_cast<std::uint8_t>(settings.options.retry);
  sending.rnr_retry = kReceiverNotReadyRetries;
  sending.max_rd_atomic = 1;
  packet_bytes_ = static_cast<std::uint32_t>(bytes_of(ready.path_mtu));
  modify(handle_.get(), sending,
         IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
         what);
}

// data path
int QueuePair::write(const ibv_sge& from, const RemotePlace& to, std::uint32_t number, Source source) {
  unsigned flags = next_flags();
  if (from.length <= max_inline_ && source == Source::host) flags |= IBV_SEND_INLINE;
  if (extended_ == nullptr) return write_listed({&from, 1}, to, number, flags);
  begin_extended(to, number, flags);
  if ((flags & IBV_SEND_INLINE) != 0)
    ibv_wr_set_inline_data(extended_, reinterpret_cast<void*>(from.addr), from.length);
  else
    ibv_wr_set_sge(extended_, from.lkey, from.addr, from.length);
  return ibv_wr_complete(extended_);
}

// Not by ibv_wr_set_sge_list: soft-RoCE's reckons the length wrong (docs/gotchas.md). data path
int QueuePair::write_pieces(std::span<const ibv_sge> from, const RemotePlace& to, std::uint32_t number) {
  ask_for_completion();
  return write_listed(from, to, number, next_flags());
}

// data path
int QueuePair::write_word(const RemotePlace& to, std::uint32_t number, bool is_last) {
  if (is_last) ask_for_completion();
  const unsigned flags = next_flags();
  if (extended_ == nullptr) return write_listed({}, to, number, flags);
  begin_extended(to, number, flags);
  ibv_wr_set_sge_list(extended_, 0, nullptr);
  return ibv_wr_complete(extended_);
}

// data path
int QueuePair::write_listed(std::span<const ibv_sge> from, const RemotePlace& to, std::uint32_t number,
                            unsigned flags) {
  ibv_send_wr request{};
  request.wr_id = pack({id_, num_posted_});
  request.sg_list = const_cast<ibv_sge*>(from.data());
  request.num_sge = static_cast<int>(from.size());
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  request.send_flags = flags;
  request.imm_data = htobe32(number);
  request.wr.rdma.remote_addr = to.address;
  request.wr.rdma.rkey = to.key;
  ibv_send_wr* refused = nullptr;
  return ibv_post_send(handle_.get(), &request, &refused);
}

// data path
int QueuePair::on_received() {
  if (++num_looked_at_ < kReceives / 2) return 0;
  num_looked_at_ = 0;
  return post_receives(kReceives / 2);
}

// data path
int QueuePair::post_receives(std::uint32_t count) {
  ibv_recv_wr* refused = nullptr;
  return ibv_post_recv(handle_.get(), &receives_[kReceives - count], &refused);
}

}  // namespace halyard::transport::verbs
