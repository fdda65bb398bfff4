// UcxWorker: see worker.hpp.
#include "transport/ucx/worker.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>

#include "halyard/status.hpp"
#include "transport/ucx/channel.hpp"

namespace halyard::transport::ucx {
namespace {

constexpr int kProgressBound = 64;   // events handled by one progress() before the caller may look at its messages
constexpr int kClosingBound = 1000;  // progress calls in which closed endpoints clean up
constexpr std::chrono::milliseconds kFarewellTime{500};  // what a closing worker grants to what is under way

void check(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return;
  throw Error(StatusCode::not_supported, std::string("open UCX: ") + what + ": " + ucs_status_string(status) +
                                             "; look at UCX_TLS and UCX_NET_DEVICES, and at 'ucx_info -d'");
}

ucs_thread_mode_t thread_mode_of(ucp_worker_h worker) {
  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_THREAD_MODE;
  check(ucp_worker_query(worker, &attributes), "ucp_worker_query");
  return attributes.thread_mode;
}

WorkerHandle open_worker_of(ucp_context_h context, ucs_thread_mode_t mode) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_FLAGS;
  params.thread_mode = mode;
  params.flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK;  // a closing worker gives up what a peer never answered
  ucp_worker_h worker = nullptr;
  check(ucp_worker_create(context, &params, &worker), "ucp_worker_create");
  return WorkerHandle(worker);
}

}  // namespace

ContextHandle open_context(const ucp_config_t& config) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_RMA | UCP_FEATURE_AM;
  ucp_context_h context = nullptr;
  check(ucp_init(&params, &config, &context), "ucp_init");
  return ContextHandle(context);
}

UcxWorker::UcxWorker(const Settings& settings) {
  const ConfigHandle config = read_config();
  ordering_ = ordering_under(*config);
  context_ = open_context(*config);
  if (has_on_node_transport(context_.get())) {
    context_.reset();
    notice_failures_on_node(*config);
    context_ = open_context(*config);
  }
  check_usable(context_.get());
  registrar_ = std::make_unique<UcxRegistrar>(context_.get());
  cache_ = std::make_unique<memory::Cache>(*registrar_, settings.registrations);
  const bool asks = settings.needs_threads || settings.wishes_threads;
  worker_ = open_worker_of(context_.get(), asks ? UCS_THREAD_MODE_MULTI : UCS_THREAD_MODE_SINGLE);
  is_thread_safe_ = thread_mode_of(worker_.get()) == UCS_THREAD_MODE_MULTI;
  if (settings.needs_threads && !is_thread_safe_)
    throw Error(StatusCode::not_supported,
                "open UCX: MPI_THREAD_MULTIPLE is in force and this UCX was built without --enable-mt");
  accept_messages();
  ucp_address_t* address = nullptr;
  check(ucp_worker_get_address(worker_.get(), &address, &address_bytes_), "ucp_worker_get_address");
  address_ = WorkerAddress(address, ReleaseAddress{worker_.get()});
}

UcxWorker::~UcxWorker() {
  end_in_order();
  endpoints_.clear();
  for (int i = 0; i < kClosingBound && ucp_worker_progress(worker_.get()) != 0; ++i) {
  }
  for (auto& link : retired_) link->drop_remote_key();
  address_.reset();
  worker_.reset();
}

void UcxWorker::accept_messages() {
  ucp_am_handler_param_t param{};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB;
  param.id = kActiveMessageId;
  param.flags = UCP_AM_FLAG_WHOLE_MSG;
  param.cb = &Link::on_active_message;
  check(ucp_worker_set_am_recv_handler(worker_.get(), &param), "ucp_worker_set_am_recv_handler");
}

/// Peers usually close at the same time. Closing by force while they still read our last message would lose it (over
/// tcp UCX itself may hold its end), so they get a moment to say that they are through; a peer that is busy or gone
/// gets no more than that.
void UcxWorker::end_in_order() {
  const auto end = std::chrono::steady_clock::now() + kFarewellTime;
  const auto is_late = [&] { return std::chrono::steady_clock::now() > end; };
  const auto is_ended = [](const auto& link) {
    link->say_farewell();
    return link->is_over() || !link->may_end_in_order();
  };
  while (!std::ranges::all_of(retired_, is_ended) && !is_late()) ucp_worker_progress(worker_.get());

  std::vector<ucs_status_ptr_t> flushes;
  const ucp_request_param_t param{};
  for (const auto& [peer, endpoint] : endpoints_) {
    if (endpoint.failure() == UCS_OK) flushes.push_back(ucp_ep_flush_nbx(endpoint.get(), &param));
  }
  std::erase_if(flushes, [](ucs_status_ptr_t request) { return !UCS_PTR_IS_PTR(request); });
  const auto is_done = [](ucs_status_ptr_t request) { return ucp_request_check_status(request) != UCS_INPROGRESS; };
  while (!std::ranges::all_of(flushes, is_done) && !is_late()) ucp_worker_progress(worker_.get());
  for (ucs_status_ptr_t request : flushes) ucp_request_free(request);
}

std::unique_ptr<Channel> UcxWorker::open(const ChannelSpec& spec) {
  SlabChannel::check(spec, "UCX");
  sweep();
  return std::make_unique<UcxChannel>(*this, spec);
}

// data path
void UcxWorker::progress() {
  for (int i = 0; i < kProgressBound && ucp_worker_progress(worker_.get()) != 0; ++i) {
  }
}

std::optional<std::string> UcxWorker::loss_of(int peer) const {
  const std::lock_guard lock(set_up_);
  const auto found = endpoints_.find(peer);
  if (found == endpoints_.end() || found->second.failure() == UCS_OK) return std::nullopt;
  return found->second.failure_text();
}

std::span<const std::byte> UcxWorker::address() const {
  return {reinterpret_cast<const std::byte*>(address_.get()), address_bytes_};
}

std::unique_ptr<Link> UcxWorker::make_link(slab::Layout layout) {
  return std::make_unique<Link>(worker_.get(), ordering_, Slab(cache_->allocate(layout.total()), layout));
}

const Endpoint& UcxWorker::endpoint_to(int peer, std::span<const std::byte> address) {
  const std::lock_guard lock(set_up_);
  const auto known = endpoints_.find(peer);
  if (known != endpoints_.end()) return known->second;
  const auto* ucx_address = reinterpret_cast<const ucp_address_t*>(address.data());
  return endpoints_
      .emplace(std::piecewise_construct, std::forward_as_tuple(peer),
               std::forward_as_tuple(worker_.get(), peer, ucx_address))
      .first->second;
}

RemoteKey UcxWorker::unpack_key(const Endpoint& endpoint, std::span<const std::byte> packed) const {
  ucp_rkey_h key = nullptr;
  const ucs_status_t status = ucp_ep_rkey_unpack(endpoint.get(), packed.data(), &key);
  if (status != UCS_OK) {
    throw Error(StatusCode::not_supported, "connect to rank " + std::to_string(endpoint.peer()) +
                                               " over UCX: ucp_ep_rkey_unpack: " + ucs_status_string(status));
  }
  return RemoteKey(key);
}

void UcxWorker::retire(std::unique_ptr<Link> link) {
  const std::lock_guard lock(set_up_);
  link->say_farewell();
  retired_.push_back(std::move(link));
}

void UcxWorker::sweep() {
  progress();
  const std::lock_guard lock(set_up_);
  for (const auto& link : retired_) link->say_farewell();
  std::erase_if(retired_, [](const auto& link) { return link->is_over(); });
}

}  // namespace halyard::transport::ucx
