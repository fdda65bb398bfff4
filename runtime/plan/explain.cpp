// Plan::explain: the plan as a table for people.
#include <fmt/format.h>

#include "halyard/plan.hpp"
#include "plan/byte_text.hpp"
#include "plan/cost_model.hpp"
#include "plan/explain_table.hpp"

namespace halyard {
namespace plan {

std::string byte_text(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

namespace {

std::string reasons_of(const PlanNeighbor& neighbor, const std::string& form_reason) {
  if (neighbor.path == Path::self) return "- (own periodic images and patches, copied in place)";
  std::string text = form_reason;
  for (const Refusal& refusal : neighbor.refused)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of(refusal.path), refusal.reason);
  return text.empty() ? "-" : text;
}

std::string measured_text(const Form& form) {
  return form.measured_us > 0 ? fmt::format("{:.1f}", form.measured_us) : "-";
}

std::int64_t bytes_sent(const Plan& plan) {
  std::int64_t bytes = 0;
  for (const PlanNeighbor& neighbor : plan.neighbors()) bytes += neighbor.path == Path::self ? 0 : neighbor.send.bytes;
  return bytes;
}

}  // namespace

std::string explain_table(const Plan& plan, std::span<const Form> forms) {
  const Pattern& pattern = plan.pattern();
  std::string text =
      fmt::format("rank {} of {}: {} pattern, {} patch(es), {} field(s), {} neighbor(s), {} sent to others per step\n",
                  pattern.rank, pattern.num_ranks, pattern.kind == PatternKind::boxes ? "box" : "index",
                  pattern.patches.size(), plan.fields().size(), plan.neighbors().size(), byte_text(bytes_sent(plan)));
  constexpr const char* kRow = "  {:>8}  {:<6} {:<20} {:>10} {:>10} {:>6} {:>9} {:>9}  {}\n";
  text += fmt::format(fmt::runtime(kRow), "neighbor", "path", "form", "sends", "receives", "pieces", "model us",
                      "seen us", "better paths refused");
  for (std::size_t i = 0; i < plan.neighbors().size(); ++i) {
    const PlanNeighbor& neighbor = plan.neighbors()[i];
    const PatternNeighbor& cells = pattern.neighbors[i];
    Form form = forms.empty() ? Form{} : forms[i];
    if (forms.empty() && neighbor.is_staged) form.name = "staged";
    text += fmt::format(fmt::runtime(kRow), neighbor.rank, name_of(neighbor.path), form.name,
                        byte_text(neighbor.send.bytes), byte_text(neighbor.receive.bytes),
                        cells.sends.size() + cells.receives.size(),
                        fmt::format("{:.1f}", predicted_us(neighbor, plan.memory())), measured_text(form),
                        reasons_of(neighbor, form.reason));
  }
  return text;
}

}  // namespace plan

std::string Plan::explain() const { return plan::explain_table(*this, {}); }

}  // namespace halyard
