// Ratios between the methods of a case; see result.hpp.
#include "halo/report/result.hpp"

#include <algorithm>

#include "common/quantiles.hpp"

namespace halyard::bench {

std::optional<Ratio> ratio_to(const CaseResult& in, const MethodResult& result, std::string_view base) {
  const auto found = std::find_if(in.methods.begin(), in.methods.end(),
                                  [&](const MethodResult& m) { return m.name == base && m.mode == result.mode; });
  if (found == in.methods.end() || found->samples_us.empty() || result.samples_us.empty()) return std::nullopt;
  std::vector<double> in_round;
  for (std::size_t i = 0; i < result.samples_us.size(); ++i)
    in_round.push_back(result.samples_us[i] / found->samples_us[i]);
  return Ratio{quantile(result.samples_us, 0.1) / quantile(found->samples_us, 0.1),
               median(result.samples_us) / median(found->samples_us), median(std::move(in_round))};
}

}  // namespace halyard::bench
