// See report_page.hpp.
#include "context/observe/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "plan/byte_text.hpp"

namespace halyard::context {
namespace {

void add(Distribution& sum, const Distribution& more) {
  for (std::size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += more.counts[i];
  sum.sum_s += more.sum_s;
}

using Way = std::pair<Path, Nearness>;

std::map<Way, PathMetrics> sums_by_way(const std::vector<Metrics>& ranks) {
  std::map<Way, PathMetrics> sums;
  for (const Metrics& rank : ranks)
    for (const PathMetrics& path : rank.paths) {
      PathMetrics& sum = sums[{path.path, path.nearness}];
      sum.sent_messages += path.sent_messages;
      sum.sent_bytes += path.sent_bytes;
      sum.received_bytes += path.received_bytes;
      sum.direct_bytes += path.direct_bytes;
      sum.staged_bytes += path.staged_bytes;
      add(sum.pack, path.pack);
      add(sum.wire, path.wire);
      add(sum.unpack, path.unpack);
    }
  return sums;
}

std::string bytes_text(std::uint64_t bytes) { return plan::byte_text(static_cast<std::int64_t>(bytes)); }

std::string micros_text(const Distribution& times) {
  return times.count() == 0 ? "-" : fmt::format("{:.1f}", times.mean_s() * 1e6);
}

std::string path_rows(const std::vector<Metrics>& ranks) {
  constexpr const char* kRow = "  {:<7} {:<9} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9}\n";
  std::string text = fmt::format(fmt::runtime(kRow), "path", "neighbors", "messages", "sent", "direct", "staged",
                                 "pack us", "wire us", "unpack us");
  for (const auto& [way, sum] : sums_by_way(ranks))
    text += fmt::format(fmt::runtime(kRow), name_of(way.first), name_of(way.second), sum.sent_messages,
                        bytes_text(sum.sent_bytes), bytes_text(sum.direct_bytes), bytes_text(sum.staged_bytes),
                        micros_text(sum.pack), micros_text(sum.wire), micros_text(sum.unpack));
  return text;
}

std::string exposed_line(const std::vector<Metrics>& ranks) {
  Distribution sum;
  for (const Metrics& rank : ranks) add(sum, rank.exposed);
  if (sum.count() == 0) return "  exposed: no wait had to wait\n";
  const auto most = std::max_element(
      ranks.begin(), ranks.end(), [](const Metrics& a, const Metrics& b) { return a.exposed.sum_s < b.exposed.sum_s; });
  return fmt::format("  exposed: {:.1f} us a wait, {:.3g} s a rank in {} waits; most on rank {}: {:.3g} s\n",
                     sum.mean_s() * 1e6, sum.sum_s / static_cast<double>(ranks.size()), sum.count(), most->rank,
                     most->exposed.sum_s);
}

std::string late_line(const std::vector<Metrics>& ranks) {
  std::map<int, std::uint64_t> late;  // by the rank that was waited for
  std::uint64_t all = 0;
  for (const Metrics& rank : ranks)
    for (const NeighborMetrics& neighbor : rank.neighbors) {
      late[neighbor.rank] += neighbor.late;
      all += neighbor.late;
    }
  if (all == 0) return "  late: nobody\n";
  std::vector<std::pair<std::uint64_t, int>> order;
  for (const auto& [rank, count] : late)
    if (count > 0) order.emplace_back(count, rank);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  constexpr std::size_t kMost = 5;
  std::string text = fmt::format("  late: {} waits were for a neighbor;", all);
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i)
    text += fmt::format("{} rank {} {} ({} %)", i == 0 ? "" : ",", order[i].second, order[i].first,
                        order[i].first * 100 / all);
  return text + (order.size() > kMost ? ", …\n" : "\n");
}

std::string registration_line(const std::vector<Metrics>& ranks) {
  RegistrationMetrics sum;
  for (const Metrics& rank : ranks) {
    sum.hits += rank.registrations.hits;
    sum.misses += rank.registrations.misses;
    sum.evicted += rank.registrations.evicted;
    sum.stale += rank.registrations.stale;
    sum.retries += rank.registrations.retries;
    sum.bytes += rank.registrations.bytes;
    sum.seconds += rank.registrations.seconds;
  }
  if (sum.hits + sum.misses == 0) return "  registered: nothing\n";
  return fmt::format("  registered: {} now; {} hits, {} misses, {} evicted, {} stale, {} retries, {:.3g} s\n",
                     bytes_text(sum.bytes), sum.hits, sum.misses, sum.evicted, sum.stale, sum.retries, sum.seconds);
}

std::string error_lines(const std::vector<Metrics>& ranks) {
  std::string text;
  for (std::size_t code = 1; code < std::size_t{kNumStatusCodes}; ++code) {
    std::uint64_t count = 0;
    std::string where;
    for (const Metrics& rank : ranks) {
      count += rank.errors[code];
      if (rank.errors[code] > 0) where += fmt::format("{}{}", where.empty() ? "" : ", ", rank.rank);
    }
    if (count > 0)
      text +=
          fmt::format("  failed: {} {} on rank {}\n", count, halyard::name_of(static_cast<StatusCode>(code)), where);
  }
  return text;
}

}  // namespace

std::string report_page(const std::vector<Metrics>& ranks, const std::vector<int>& missing) {
  std::uint64_t forward = 0;
  std::uint64_t reverse = 0;
  for (const Metrics& rank : ranks) {
    forward += rank.forward_exchanges;
    reverse += rank.reverse_exchanges;
  }
  std::string text = fmt::format("halyard report: {} ranks, {} forward and {} reverse exchanges on all of them\n",
                                 ranks.size() + missing.size(), forward, reverse);
  for (const int rank : missing) text += fmt::format("  rank {} was not heard: it failed, or never came here\n", rank);
  text += path_rows(ranks) + exposed_line(ranks) + late_line(ranks) + registration_line(ranks) + error_lines(ranks);
  return text;
}

}  // namespace halyard::context
