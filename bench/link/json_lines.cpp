// Results of the link bench as JSON lines, see report.hpp.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/machine_json.hpp"
#include "common/quantiles.hpp"
#include "link/report.hpp"

namespace halyard::bench {
namespace {

using Json = nlohmann::ordered_json;

Json stream_json(std::int64_t bytes, const LinkResult& result) {
  const double rate = median(result.messages_a_s);
  return {{"messages_s", rate},
          {"p10_messages_s", quantile(result.messages_a_s, 0.1)},
          {"mib_s", rate * static_cast<double>(bytes) / (1 << 20)}};
}

// Of this method to plain MPI in the same run: below 1 is faster, for times and for rates.
Json ratios_json(const LinkResult& result, const std::vector<LinkResult>& results) {
  const auto mpi = std::find_if(results.begin(), results.end(), [](const LinkResult& r) { return r.method == "mpi"; });
  if (mpi == results.end() || mpi->one_way_us.empty()) return Json::object();
  return {{"mpi",
           {{"median", median(result.one_way_us) / median(mpi->one_way_us)},
            {"p10", quantile(result.one_way_us, 0.1) / quantile(mpi->one_way_us, 0.1)},
            {"stream", median(mpi->messages_a_s) / median(result.messages_a_s)}}}};
}

Json line_of(const LinkFacts& facts, std::int64_t bytes, const LinkResult& result) {
  Json line;
  line["bench"] = "link";
  line["commit"] = facts.commit;
  line["machine"] = machine_json(facts.machine);
  line["mpi"] = mpi_json(facts.machine, facts.mpi_name);
  line["ranks"] = 2;
  line["bytes"] = bytes;
  line["method"] = result.method;
  line["path"] = result.path;
  line["median_us"] = median(result.one_way_us);
  line["p10_us"] = quantile(result.one_way_us, 0.1);
  line["p99_us"] = quantile(result.one_way_us, 0.99);
  line["stream"] = stream_json(bytes, result);
  line["verified"] = result.is_verified;
  line["rounds"] = result.one_way_us.size();
  return line;
}

}  // namespace

std::string json_lines(const LinkFacts& facts, std::int64_t bytes, const std::vector<LinkResult>& results) {
  std::string lines;
  for (const LinkResult& result : results) {
    if (!result.not_run.empty()) continue;
    Json line = line_of(facts, bytes, result);
    line["ratios"] = ratios_json(result, results);
    lines += line.dump() + "\n";
  }
  return lines;
}

}  // namespace halyard::bench
