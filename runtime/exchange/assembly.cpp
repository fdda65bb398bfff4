// See assembly.hpp.
#include "exchange/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exchange/unpacked.hpp"
#include "exchange/view_check.hpp"
#include "exchange/window.hpp"

namespace halyard::exchange {

using transport::Blob;

struct Assembly::Cells {
  const std::vector<Piece>& out;
  const MessageLayout& out_layout;
  const std::vector<Piece>& in;
  const MessageLayout& in_layout;
};

Assembly::Assembly(Plan plan, std::span<const FieldView> views, const Workers& workers, Surroundings around)
    : plan_(std::move(plan)), views_(views.begin(), views.end()), workers_(workers), around_(std::move(around)) {
  check_views(plan_, views_);
  for (const FieldView& view : views_) grids_.push_back(pack::grid_of(view));
  for (const PlanNeighbor& neighbor : plan_.neighbors())
    if (neighbor.path != Path::self) (void)worker_of(neighbor);
}

transport::Worker& Assembly::worker_of(const PlanNeighbor& neighbor) const {
  transport::Worker* worker = workers_[static_cast<std::size_t>(neighbor.path)];
  if (worker == nullptr)
    throw Error(
        StatusCode::not_supported,
        fmt::format("bind a plan: it takes path {} to rank {}, which is not open here; plan with this context's facts",
                    name_of(neighbor.path), neighbor.rank));
  return *worker;
}

pack::End Assembly::own_fields() const { return {grids_, plan_.pattern().patches.size(), nullptr}; }

std::vector<int> Assembly::remote_ranks() const {
  std::vector<int> ranks;
  for (const PlanNeighbor& neighbor : plan_.neighbors())
    if (neighbor.path != Path::self) ranks.push_back(neighbor.rank);
  return ranks;
}

std::vector<Blob> Assembly::windows() const {
  std::vector<Blob> blobs;
  for (const PlanNeighbor& neighbor : plan_.neighbors())
    if (neighbor.path != Path::self) blobs.push_back(window_of(views_, worker_of(neighbor)));
  return blobs;
}

void Assembly::open(const std::vector<Blob>& peer_windows) {
  auto window = peer_windows.begin();
  for (std::size_t i = 0; i < plan_.neighbors().size(); ++i)
    links_.push_back(plan_.neighbors()[i].path == Path::self ? make_self_link(i) : make_link(i, *window++));
}

Link Assembly::make_self_link(std::size_t neighbor) const {
  const PatternNeighbor& cells = plan_.pattern().neighbors[neighbor];
  Link link;
  link.rank = cells.rank;
  link.forward.receive =
      pack::compile(cells.receives, plan_.fields(), {own_fields(), pack::Side::there, own_fields(), pack::Side::here});
  link.reverse.receive = pack::reversed(link.forward.receive);
  return link;
}

Link Assembly::make_link(std::size_t neighbor, const Blob& window) const {
  const PlanNeighbor& messages = plan_.neighbors()[neighbor];
  const PatternNeighbor& cells = plan_.pattern().neighbors[neighbor];
  Link link;
  link.rank = messages.rank;
  link.worker = &worker_of(messages);
  const bool sends_in_place = is_open(window_of(views_, *link.worker));
  const auto peer_grids = grids_of(window, link.rank, *link.worker);
  const std::span<const pack::Grid> grids =
      peer_grids ? std::span<const pack::Grid>(*peer_grids) : std::span<const pack::Grid>{};
  link.reads_in_place = peer_grids.has_value();
  link.forward = make_route({cells.sends, messages.send, cells.receives, messages.receive}, sends_in_place, grids);
  link.reverse = make_route({cells.receives, messages.receive, cells.sends, messages.send}, sends_in_place, grids);
  link.why_packed = why_packed(link, sends_in_place, peer_grids.has_value());
  transport::ChannelSpec spec;
  spec.peer = link.rank;
  spec.binding = around_.binding;
  spec.send_bytes = spec.receive_bytes = std::max(messages.send.bytes, messages.receive.bytes);
  spec.sends_in_place = sends_in_place;
  spec.receives_in_place = peer_grids.has_value();
  open_channel(link, std::move(spec));
  return link;
}

// Only the shared path can read fields where they lie; what keeps it from that is said.
std::string Assembly::why_packed(const Link& link, bool sends_in_place, bool receives_in_place) const {
  if (link.worker->path() != Path::shared) return {};
  std::string text;
  if (!sends_in_place)
    text =
        fmt::format("direct out: {} not in Halyard's memory (Context::allocate)", closed_fields(views_, *link.worker));
  if (!receives_in_place)
    text +=
        fmt::format("{}direct in: rank {}'s fields are not in Halyard's memory", text.empty() ? "" : "; ", link.rank);
  return text;
}

Route Assembly::make_route(const Cells& cells, bool sends_in_place, std::span<const pack::Grid> peer_grids) const {
  Route route;
  route.has_send = !cells.out.empty();
  route.has_receive = !cells.in.empty();
  route.send_hash = cells.out_layout.hash;
  route.receive_hash = cells.in_layout.hash;
  const pack::End in_message{{}, 0, &cells.in_layout};
  if (!sends_in_place) {
    const pack::End out_message{{}, 0, &cells.out_layout};
    route.send_bytes = cells.out_layout.bytes;
    route.send =
        pack::compile(cells.out, plan_.fields(), {own_fields(), pack::Side::here, out_message, pack::Side::here});
  }
  const std::size_t num_fields = std::max<std::size_t>(plan_.fields().size(), 1);
  const pack::End source =
      peer_grids.empty() ? in_message : pack::End{peer_grids, peer_grids.size() / num_fields, nullptr};
  route.receive = pack::compile(cells.in, plan_.fields(), {source, pack::Side::there, own_fields(), pack::Side::here});
  return route;
}

std::vector<Blob> Assembly::addresses() {
  std::vector<Blob> blobs;
  for (Link& link : links_)
    if (link.channel != nullptr) blobs.push_back(link.channel->address());
  return blobs;
}

std::unique_ptr<BindingCore> Assembly::connect(const std::vector<Blob>& peer_addresses) {
  auto address = peer_addresses.begin();
  for (Link& link : links_)
    if (link.channel != nullptr) link.channel->connect(*address++);
  return std::make_unique<HostBinding>(std::move(plan_), std::move(around_), std::move(links_));
}

}  // namespace halyard::exchange
