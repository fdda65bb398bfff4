// explain_json: what explain_table says, for programs.
#include <fmt/format.h>

#include "base/json_text.hpp"
#include "plan/cost_model.hpp"
#include "plan/explain_table.hpp"

namespace halyard::plan {
namespace {

using base::json_text;

std::string refusals(const PlanNeighbor& neighbor) {
  std::string text;
  for (const Refusal& refusal : neighbor.refused)
    text += fmt::format("{}{{\"path\":{},\"reason\":{}}}", text.empty() ? "" : ",", json_text(name_of(refusal.path)),
                        json_text(refusal.reason));
  return text;
}

std::string neighbor_json(const PlanNeighbor& neighbor, Memory memory, const Form& form) {
  return fmt::format(
      "{{\"rank\":{},\"path\":{},\"form\":{},\"form_reason\":{},\"staged\":{},\"send_bytes\":{},\"receive_bytes\":{},"
      "\"predicted_us\":{:.1f},\"measured_us\":{},\"refused\":[{}]}}",
      neighbor.rank, json_text(name_of(neighbor.path)), json_text(form.name), json_text(form.reason),
      neighbor.is_staged, neighbor.send.bytes, neighbor.receive.bytes, predicted_us(neighbor, memory),
      form.measured_us > 0 ? fmt::format("{:.1f}", form.measured_us) : "null", refusals(neighbor));
}

}  // namespace

std::string explain_json(const Plan& plan, std::span<const Form> forms) {
  std::string fields;
  for (const FieldShape& field : plan.fields()) fields += (fields.empty() ? "" : ",") + json_text(field.name);
  std::string neighbors;
  for (std::size_t i = 0; i < plan.neighbors().size(); ++i)
    neighbors += (i == 0 ? "\n  " : ",\n  ") +
                 neighbor_json(plan.neighbors()[i], plan.memory(), forms.empty() ? Form{} : forms[i]);
  return fmt::format("{{\"rank\":{},\"num_ranks\":{},\"fields\":[{}],\"neighbors\":[{}]}}\n", plan.pattern().rank,
                     plan.pattern().num_ranks, fields, neighbors);
}

}  // namespace halyard::plan
