#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "emulator/platform/library.h"
#include "emulator/platform/placement.h"
#include "emulator/platform/rails.h"
#include "emulator/platform/values.h"

namespace morgana {
namespace {

/// The first `most` hosts below `limit` that are not used.
std::vector<std::uint32_t> free_hosts(const std::set<std::uint32_t>& used, std::size_t limit,
                                      std::size_t most) {
  std::vector<std::uint32_t> free;
  for (std::uint32_t host = 0; host < limit && free.size() < most; ++host)
    if (!used.contains(host)) free.push_back(host);
  return free;
}

}  // namespace

Placement Platform::place_jobs(std::span<const JobRanks> jobs, const Placement& placement) const {
  if (placement.kind == Placement::Kind::listed || placement.kind == Placement::Kind::later) return placement;
  const Resolved& platform = values_->resolved;
  const HostParameters hosts = host_table().read(platform.settings);
  const NetworkKind& network = network_kind(platform.network);
  const std::size_t ports =
      network.ports ? network.ports(platform.settings) / nics_on_rail(platform.settings) : 0;
  const std::size_t known = hosts.count > 0 ? static_cast<std::size_t>(hosts.count) : ports;
  const auto processors = static_cast<std::size_t>(hosts.processors);
  constexpr std::size_t nics = 1;  // only schedules name several, and none runs beside another program
  Placement placed{Placement::Kind::listed, {}, "placement of the jobs"};
  const bool by_groups = has_an_order(placement) && placement.kind != Placement::Kind::random;
  if (by_groups && known == 0 && network.sketch)  // groups_of_hosts() refuses a network that has no groups
    throw Error(
        fmt::format("--map {}: with several jobs the network's groups are known only where the number "
                    "of hosts is; set hosts.count",
                    name_of(placement)));
  const std::vector<std::uint32_t> group_of =
      by_groups ? groups_of_hosts(known, nics, placement) : std::vector<std::uint32_t>();
  std::set<std::uint32_t> used;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const std::size_t ranks = jobs[job].ranks;
    const std::vector<std::uint32_t> free =
        free_hosts(used, known > 0 ? known : most_hosts, known > 0 ? known : ranks);
    const std::size_t needed = hosts.quantum > SimTime() ? 1 : (ranks + processors - 1) / processors;
    if (known > 0 && free.size() < needed)
      throw Error(fmt::format(
          "job {} ({}) has {} rank{}, which need {} host{} of their own, but the jobs before it leave {} of "
          "{} of "
          "platform {}; set {}hosts.processors higher, or take fewer ranks",
          job + 1, jobs[job].name, ranks, ranks == 1 ? "" : "s", needed, needed == 1 ? "" : "s", free.size(),
          known, values_->name,
          hosts.count > 0 ? fmt::format("hosts.count={} or ", known - free.size() + needed) : ""));
    HostParameters own = hosts;
    // Hosts that take turns have no number of processors that would bound it.
    if (hosts.count > 0 || (known > 0 && hosts.quantum > SimTime()))
      own.count = static_cast<std::int64_t>(free.size());
    const std::size_t own_ports = hosts.count > 0 || ports == 0 ? ports : free.size();
    const auto groups = [&](std::size_t count) {
      std::vector<std::uint32_t> of_free;
      for (std::size_t host = 0; host < count; ++host) of_free.push_back(group_of[free[host]]);
      return of_free;
    };
    for (const HostId host : place(ranks, placement, own, values_->name, own_ports, groups).host_of)
      placed.hosts.push_back(free.at(static_cast<std::size_t>(host)));
    used.insert(placed.hosts.begin(), placed.hosts.end());
  }
  return placed;
}

}  // namespace morgana
