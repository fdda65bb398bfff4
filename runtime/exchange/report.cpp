// What a binding says: explain(), and the texts of its failures. Not data path.
#include <fmt/format.h>

#include "exchange/host_binding.hpp"
#include "metrics/meter.hpp"
#include "plan/explain_table.hpp"

namespace halyard {
namespace {

using exchange::Kind;
using exchange::Link;
using exchange::Running;

const char* name_of(Reduce op) {
  switch (op) {
    case Reduce::sum:
      return "sum";
    case Reduce::min:
      return "min";
    case Reduce::max:
      return "max";
  }
  return "?";
}

std::string name_of(Kind kind, Reduce op, std::uint64_t number) {
  if (kind == Kind::forward) return fmt::format("forward {}", number);
  return fmt::format("reverse {} {}", name_of(op), number);
}

std::string names_of(const std::vector<FieldShape>& fields) {
  std::string names;
  for (const FieldShape& field : fields) names += (names.empty() ? "" : "+") + field.name;
  return fmt::format("{} {}", fields.size() == 1 ? "field" : "fields", names);
}

}  // namespace

std::vector<plan::Form> HostBinding::forms() const {
  std::vector<plan::Form> forms;
  for (const Link& link : links_) {
    plan::Form form{"copy", "", 0};
    if (link.channel != nullptr) form = {link.channel->form(), link.why_packed, 0};
    if (link.forward.unpacked) form.name += ", sent in place";
    if (meter_ != nullptr) form.measured_us = meter_->mean_wire_s(link.place) * 1e6;
    forms.push_back(std::move(form));
  }
  return forms;
}

std::string HostBinding::explain() const { return plan::explain_table(plan_, forms()); }

std::string HostBinding::explain_json() const { return plan::explain_json(plan_, forms()); }

std::string HostBinding::progress_text(const Running& running, const Link& link) const {
  std::size_t expected = 0;
  std::size_t received = 0;
  for (const Link& other : links_) {
    if (other.channel == nullptr || !other.route(running.kind).has_receive) continue;
    ++expected;
    received += other.has_received(running.number) ? 1U : 0U;
  }
  const char* what = link.has_received(running.number) ? " to take this rank's message" : "";
  return fmt::format("rank {} waits for rank {}{}, {}, {}, {} of {} messages, path {} ({})", plan_.pattern().rank,
                     link.rank, what, names_of(plan_.fields()), name_of(running.kind, running.op, running.number),
                     received, expected, halyard::name_of(link.worker->path()), link.channel->form());
}

exchange::Link* HostBinding::first_pending() {
  for (Link& link : links_)
    if (link.channel != nullptr && !link.is_done(num_done_ + 1)) return &link;
  return nullptr;
}

void HostBinding::fail_with_timeout(const base::Backoff& backoff) {
  const Link* link = first_pending();
  if (link == nullptr) return;
  fail({StatusCode::timeout,
        fmt::format(
            "{}, last progress {:.1f} s ago; the deadline of {} s passed (HALYARD_DEADLINE, Options::deadline_s)",
            progress_text(running(num_done_ + 1), *link), backoff.seconds_since_progress(), around_.wait.deadline_s)},
       link->rank);
}

void HostBinding::look_around() {
  for (Link& link : links_) {
    if (link.channel == nullptr || link.is_done(num_started_)) continue;
    const auto loss = link.worker->loss_of(link.rank);
    if (!loss) continue;
    // Its last message may have come in between: only what is still missing now will never come.
    advance();
    if (!failure_.ok() || link.is_done(num_started_)) continue;
    return fail({StatusCode::peer_failed, fmt::format("{}; {}", progress_text(running(num_done_ + 1), link), *loss)},
                link.rank);
  }
}

void HostBinding::fail_with_wrong_message(const Link& link, const Running& running) {
  const exchange::Tag got = link.wrong_tag();
  const std::string expected = name_of(running.kind, running.op, running.number);
  const std::string came = name_of(got.kind, got.op, got.number);
  const char* why = expected == came ? "with another layout" : "instead";
  fail({StatusCode::disagreement,
        fmt::format(
            "rank {} expected the message of {} from rank {}, and {} came {}; all ranks must start the same exchanges "
            "on a binding in the same order, and no message may be lost",
            plan_.pattern().rank, expected, link.rank, came, why)},
       link.rank);
}

void HostBinding::fail(Status status, int culprit) {
  if (!failure_.ok()) return;
  if (meter_ != nullptr) meter_->failed(status.code());
  failure_ = std::move(status);
  for (Link& link : links_)
    if (link.channel != nullptr) link.channel->give_up(culprit);
}

}  // namespace halyard
