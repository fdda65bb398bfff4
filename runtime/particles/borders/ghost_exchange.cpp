// See ghost_exchange.hpp.
#include "particles/borders/ghost_exchange.hpp"

#include <algorithm>

#include "exchange/window.hpp"
#include "particles/borders/borders_core.hpp"
#include "plan/explain_table.hpp"

namespace halyard {

using exchange::Kind;
using exchange::Link;
using exchange::Route;
using pack::Gather;
using particles::Listing;
using transport::Blob;

namespace {

std::vector<Link> links_of(const Plan& plan, const exchange::Workers& workers) {
  std::vector<Link> links;
  for (const PlanNeighbor& neighbor : plan.neighbors()) {
    links.emplace_back();
    links.back().rank = neighbor.rank;
    if (neighbor.path != Path::self) links.back().worker = workers[static_cast<std::size_t>(neighbor.path)];
  }
  return links;
}

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

}  // namespace

HostGhostExchange::HostGhostExchange(BordersCore& borders, const std::vector<std::string>& arrays,
                                     const PathFacts& facts, const exchange::Workers& workers,
                                     const exchange::Surroundings& around)
    : GhostExchangeCore(borders, arrays),
      first_number_(around.binding),
      retire_(around.retire),
      facts_(facts),
      binding_(plan(facts, Memory::host), around, links_of(plan(facts, Memory::host), workers)),
      forms_(binding_.links().size()) {}

// Arrays without memory are open to nobody, on any path.
Blob HostGhostExchange::window(std::size_t number) const {
  if (borders_.particles().capacity == 0) return exchange::closed_window();
  return exchange::window_of(views(), *binding_.links()[number].worker);
}

std::int64_t HostGhostExchange::message_bytes(std::int64_t num_elements) const {
  std::int64_t bytes = 0;
  for (const std::size_t a : arrays_)
    bytes += aligned(num_elements * static_cast<std::int64_t>(borders_.particles().arrays[a].element.bytes()));
  return bytes;
}

bool HostGhostExchange::prepare(std::size_t number, const Listing& listing, std::span<const std::byte> their_window) {
  LinkForm& form = forms_[number];
  const auto theirs = exchange::grids_of(their_window, link(number).rank, *link(number).worker);
  form.their_arrays = theirs.value_or(std::vector<pack::Grid>{});
  form.wanted.sends_in_place = exchange::is_open(window(number));
  form.wanted.receives_in_place = theirs.has_value();
  const bool is_packed = !form.wanted.sends_in_place || !form.wanted.receives_in_place;
  const std::int64_t most = std::max(static_cast<std::int64_t>(listing.to->numbers.size()), listing.num_received);
  const std::int64_t needed = is_packed ? message_bytes(most) : 0;
  form.wanted.capacity = ghost_capacity_for(needed);
  return form.open.capacity < needed || form.open.sends_in_place != form.wanted.sends_in_place ||
         form.open.receives_in_place != form.wanted.receives_in_place;
}

Blob HostGhostExchange::open(std::size_t number) {
  LinkForm& form = forms_[number];
  if (form.generation >= kNumbers)
    throw Error(StatusCode::out_of_resources,
                "open a channel of ghosts: it was replaced 64 times; do arrays move in and out of Halyard's memory?");
  transport::ChannelSpec spec;
  spec.peer = link(number).rank;
  spec.binding = first_number_ + form.generation++;
  spec.send_bytes = spec.receive_bytes = form.wanted.capacity;
  spec.sends_in_place = form.wanted.sends_in_place;
  spec.receives_in_place = form.wanted.receives_in_place;
  auto before = link(number).replace_channel(link(number).worker->open(spec));
  if (before != nullptr && !before->is_quiet() && retire_) retire_(std::move(before));
  return link(number).channel->address();
}

void HostGhostExchange::connect(std::size_t number, std::span<const std::byte> their_address) {
  link(number).channel->connect(their_address);
  forms_[number].open = forms_[number].wanted;
  link(number).reads_in_place = forms_[number].open.receives_in_place;
}

// Elements of one array on both ends, dense; the caller says which end is something else.
Gather HostGhostExchange::gather_of(std::size_t array, std::int64_t count) const {
  const ParticleArray& own = borders_.particles().arrays[array];
  Gather gather;
  gather.source = gather.target = pack::place_of(own.data);
  gather.source_stride = gather.target_stride = particles::strides_of(own);
  gather.element = own.element;
  gather.num_elements = count;
  return gather;
}

void HostGhostExchange::set_shift(Gather& gather, std::size_t array, const Point3& shift) const {
  const auto axis = borders_.roles().first_axis_of(array);
  if (!axis) return;
  gather.shift = gather.element.count == 1 ? Point3{shift[*axis], 0, 0} : shift;
  for (std::size_t c = 0; c < gather.element.count; ++c) gather.has_shift = gather.has_shift || gather.shift[c] != 0;
}

namespace {

// An end of a gather that is a section of a message.
struct Section {
  pack::Place offset;
  Gather::Strides stride;
};

Section section_of(const ElementType& element, std::int64_t offset) {
  return {static_cast<pack::Place>(offset),
          {static_cast<std::int64_t>(element.bytes()), static_cast<std::int64_t>(bytes_of(element.scalar))}};
}

void begin(Route& route, std::int64_t num_sent, std::int64_t num_received) {
  route = {};
  route.has_send = num_sent > 0;
  route.has_receive = num_received > 0;
}

}  // namespace

void HostGhostExchange::relist(std::size_t number, const Listing& listing) {
  Link& own = link(number);
  forms_[number].num_sent = static_cast<std::int64_t>(listing.to->numbers.size());
  forms_[number].num_received = listing.num_received;
  if (own.worker == nullptr) relist_self(own, listing);
  if (own.worker != nullptr) relist_forward(own.forward, forms_[number], listing);
  if (own.worker != nullptr) relist_reverse(own.reverse, forms_[number], listing);
  binding_.set_volumes(number, message_bytes(forms_[number].num_sent), message_bytes(forms_[number].num_received));
  if (own.worker == nullptr) return;
  own.why_packed.clear();
  if (own.worker->path() != Path::shared) return;
  if (!forms_[number].open.sends_in_place)
    own.why_packed =
        "direct out: " + exchange::closed_fields(views(), *own.worker) + " not in Halyard's memory (Context::allocate)";
  if (!forms_[number].open.receives_in_place)
    own.why_packed += std::string(own.why_packed.empty() ? "" : "; ") + "direct in: rank " + std::to_string(own.rank) +
                      "'s arrays are not in Halyard's memory";
}

void HostGhostExchange::relist_forward(Route& route, const LinkForm& form, const Listing& listing) {
  const auto num_sent = static_cast<std::int64_t>(listing.to->numbers.size());
  begin(route, num_sent, listing.num_received);
  route.send_hash = hash_of(listing, num_sent, true);
  route.receive_hash = hash_of(listing, listing.num_received, true);
  std::int64_t out = 0;
  std::int64_t in = 0;
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    Gather send = gather_of(arrays_[a], num_sent);
    const auto bytes = static_cast<std::int64_t>(send.element.bytes());
    const Section to = section_of(send.element, out);
    send.source_numbers = listing.to->numbers.data();
    send.target = to.offset;
    send.target_stride = to.stride;
    if (!form.open.sends_in_place && num_sent > 0) route.send.gathers.push_back(send);
    for (std::size_t g = 0; g < listing.num_groups; ++g) {
      const GhostGroup& group = listing.groups[g];
      if (group.count == 0) continue;
      const std::int64_t done = group.first - listing.first;
      Gather receive = gather_of(arrays_[a], group.count);
      receive.target = pack::moved(receive.target, group.first * receive.target_stride.element);
      set_shift(receive, arrays_[a], group.shift);
      if (form.open.receives_in_place) {
        receive.source = form.their_arrays[a].first_owned;
        receive.source_stride = {form.their_arrays[a].stride_bytes[0], form.their_arrays[a].stride_bytes[1]};
        receive.source_numbers = listing.their_numbers + done;
      } else {
        const Section from = section_of(receive.element, in + done * bytes);
        receive.source = from.offset;
        receive.source_stride = from.stride;
      }
      route.receive.gathers.push_back(receive);
    }
    out += aligned(num_sent * bytes);
    in += aligned(listing.num_received * bytes);
  }
  route.send_bytes = form.open.sends_in_place ? 0 : out;
}

void HostGhostExchange::relist_reverse(Route& route, const LinkForm& form, const Listing& listing) {
  const auto num_back = static_cast<std::int64_t>(listing.to->numbers.size());
  begin(route, listing.num_received, num_back);
  route.send_hash = hash_of(listing, listing.num_received, false);
  route.receive_hash = hash_of(listing, num_back, false);
  std::int64_t out = 0;
  std::int64_t in = 0;
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    Gather send = gather_of(arrays_[a], listing.num_received);
    const auto bytes = static_cast<std::int64_t>(send.element.bytes());
    const Section to = section_of(send.element, out);
    send.source = pack::moved(send.source, listing.first * send.source_stride.element);
    send.target = to.offset;
    send.target_stride = to.stride;
    if (!form.open.sends_in_place && listing.num_received > 0) route.send.gathers.push_back(send);
    Gather receive = gather_of(arrays_[a], num_back);
    receive.target_numbers = listing.to->numbers.data();
    const Section from = section_of(receive.element, in);
    receive.source = from.offset;
    receive.source_stride = from.stride;
    if (form.open.receives_in_place) {
      receive.source_stride = {form.their_arrays[a].stride_bytes[0], form.their_arrays[a].stride_bytes[1]};
      receive.source =
          pack::moved(form.their_arrays[a].first_owned, listing.their_first * receive.source_stride.element);
    }
    if (num_back > 0) route.receive.gathers.push_back(receive);
    out += aligned(listing.num_received * bytes);
    in += aligned(num_back * bytes);
  }
  route.send_bytes = form.open.sends_in_place ? 0 : out;
}

void HostGhostExchange::relist_self(Link& self, const Listing& listing) {
  begin(self.forward, 0, listing.num_received);
  for (const std::size_t array : arrays_)
    for (std::size_t g = 0; g < listing.num_groups; ++g) {
      const GhostGroup& group = listing.groups[g];
      if (group.count == 0) continue;
      Gather copy = gather_of(array, group.count);
      copy.source_numbers = listing.to->numbers.data() + (group.first - listing.first);
      copy.target = pack::moved(copy.target, group.first * copy.target_stride.element);
      set_shift(copy, array, group.shift);
      self.forward.receive.gathers.push_back(copy);
    }
  begin(self.reverse, 0, listing.num_received);
  self.reverse.receive = pack::reversed(self.forward.receive);
}

std::string HostGhostExchange::explain() {
  std::vector<plan::Form> forms;
  for (const Link& own : binding_.links()) {
    if (own.worker == nullptr)
      forms.push_back({"copy", "", 0});
    else
      forms.push_back({own.channel == nullptr ? "not listed yet" : own.channel->form(), own.why_packed, 0});
  }
  std::vector<std::array<std::int64_t, 2>> num_elements;
  for (const LinkForm& form : forms_) num_elements.push_back({form.num_sent, form.num_received});
  return plan::explain_table(plan(facts_, Memory::host, num_elements), forms);
}

}  // namespace halyard
