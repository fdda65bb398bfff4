// See report.hpp.
#include "registration/report.hpp"

#include <fmt/format.h>

#include "common/machine_json.hpp"
#include "common/quantiles.hpp"

namespace halyard::bench {

std::string registration_head(const RegistrationRun& run) {
  return fmt::format(
      "registration of host memory, {} rounds; {}, {} cores, Linux {}; commit {}\n"
      "{:<10} {:>10} {:<11} {:>11} {:>11} {:>11}\n",
      run.rounds, run.machine.cpu, run.machine.cores, run.machine.kernel, run.commit, "registrar", "bytes", "what",
      "median us", "p10 us", "p99 us");
}

std::string registration_table(const RegistrationCase& measured) {
  std::string text;
  for (const RegistrationResult& result : measured.results) {
    const std::string head = fmt::format("{:<10} {:>10} {:<11}", measured.registrar, measured.bytes, result.method);
    if (!result.not_run.empty()) {
      text += fmt::format("{} not run: {}\n", head, result.not_run);
      continue;
    }
    text += fmt::format("{} {:>11.3f} {:>11.3f} {:>11.3f}{}\n", head, median(result.samples_us),
                        quantile(result.samples_us, 0.1), quantile(result.samples_us, 0.99),
                        result.is_verified ? "" : "  WRONG");
  }
  return text;
}

std::string registration_json(const RegistrationRun& run, const RegistrationCase& measured) {
  std::string lines;
  for (const RegistrationResult& result : measured.results) {
    if (!result.not_run.empty()) continue;
    nlohmann::ordered_json line;
    line["bench"] = "registration";
    line["commit"] = run.commit;
    line["machine"] = machine_json(run.machine);
    line["case"] = {{"bytes", measured.bytes}, {"memory", "host"}};
    line["method"] = result.method;
    line["registrar"] = measured.registrar;
    line["path"] = measured.path;
    line["median_us"] = median(result.samples_us);
    line["p10_us"] = quantile(result.samples_us, 0.1);
    line["p99_us"] = quantile(result.samples_us, 0.99);
    line["verified"] = result.is_verified;
    line["rounds"] = run.rounds;
    lines += line.dump() + "\n";
  }
  return lines;
}

}  // namespace halyard::bench
