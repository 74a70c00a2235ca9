#include "replay/jobs/job_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace morgana {

JobResult result_of_job(const std::string& name, std::span<const HostId> hosts,
                        const RunStatistics& statistics, SimTime start, std::uint32_t times,
                        bool stands_still) {
  const std::set<HostId> places(hosts.begin(), hosts.end());
  JobResult result;
  result.name = name;
  result.ranks = hosts.size();
  result.hosts = places.size();
  result.first_host = static_cast<std::size_t>(*places.begin());
  for (const HostId host : places) result.host_numbers.push_back(static_cast<std::int64_t>(host));
  result.start = start;
  result.end = statistics.simulated_time();
  result.stands_still = stands_still;
  result.times = times;
  const RunStatistics::PerRank all = statistics.total();
  const SimTime ran = all.time() - start * static_cast<std::int64_t>(result.ranks);
  result.communication_share = ran > SimTime() ? all.communication.seconds() / ran.seconds() : 0;
  return result;
}

std::string numbers_of_jobs(std::span<const std::string> names, std::span<const std::size_t> first_ranks) {
  std::string text = fmt::format("ranks 0 to {} are job 1's", first_ranks[1] - 1);
  for (std::size_t job = 1; job + 1 < first_ranks.size(); ++job)
    text += fmt::format(", {} to {} those of job {} ({})", first_ranks[job], first_ranks[job + 1] - 1,
                        job + 1, names[job]);
  return text;
}

namespace {

/// Whether each cable between switches that was used joins one with hosts to one without: two levels, where
/// ways go up from their own leaf and down to their own leaf.
bool every_cable_has_a_leaf(const NetworkLinks& links) {
  std::set<std::uint32_t> leaves;
  for (const LinkLoad& link : links.loads)
    if (link.from.is_host() && !link.to.is_host()) leaves.insert(link.to.number);
  bool any = false;
  for (const LinkLoad& link : links.loads) {
    if (link.from.is_host() || link.to.is_host() || !(link.utilisation > 0)) continue;
    if (leaves.contains(link.from.number) == leaves.contains(link.to.number)) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::vector<std::string> jobs_apart(std::span<const std::string> names,
                                    std::span<const std::size_t> first_ranks, const Machine& machine,
                                    const NetworkLinks& links) {
  std::map<std::size_t, std::set<std::uint32_t>> switches_of;  // of a host, by its NICs
  for (const LinkLoad& link : links.loads)
    if (link.from.is_host() && !link.to.is_host())
      switches_of[link.from.number / machine.nics].insert(link.to.number);
  if (switches_of.empty()) return {};
  const auto switches = [&](std::size_t job) {
    std::set<std::uint32_t> all;
    for (std::size_t rank = first_ranks[job]; rank < first_ranks[job + 1]; ++rank)
      if (const auto at = switches_of.find(static_cast<std::size_t>(machine.host_of.at(rank)));
          at != switches_of.end())
        all.insert(at->second.begin(), at->second.end());
    return all;
  };
  std::vector<std::string> all;
  const std::set<std::uint32_t> first = switches(0);
  const bool two_levels = every_cable_has_a_leaf(links);
  for (std::size_t job = 1; job + 1 < first_ranks.size(); ++job) {
    const std::set<std::uint32_t> other = switches(job);
    const bool first_is_confined = first.size() == 1;
    const std::set<std::uint32_t>& confined = first_is_confined ? first : other;
    if (std::ranges::any_of(other, [&](std::uint32_t at) { return first.contains(at); })) continue;
    if (confined.size() != 1) {
      if (two_levels)
        all.push_back(fmt::format(
            "{} and the first job use no link of the network in common: their hosts are at different "
            "leaves, and each cable in use between switches is one leaf's. Where a time differs from "
            "alone, that is chance: marks and routes are drawn in another order",
            names[job]));
      continue;
    }
    all.push_back(
        fmt::format("{} and the first job use no link of the network in common: all hosts of {} are at "
                    "switch {}, where the "
                    "other has none; with --map spread or random they may",
                    names[job], first_is_confined ? "the first job" : names[job], *confined.begin()));
  }
  return all;
}

}  // namespace morgana
