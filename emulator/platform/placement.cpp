#include "emulator/platform/placement.h"

#include <algorithm>

#include "emulator/platform/library.h"

namespace morgana {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

PlacedRanks place_listed(std::size_t ranks, const Placement& placement, const HostParameters& hosts) {
  const auto of_rank = [&](std::size_t rank) {
    return placement.origin + ": rank " + std::to_string(rank) + " is to run on host " +
           std::to_string(placement.hosts[rank]);
  };
  if (placement.hosts.size() < ranks)
    throw Error(placement.origin + ": it places " + counted(placement.hosts.size(), "rank") +
                ", but there are " + std::to_string(ranks) + "; add a host number for each further rank");
  PlacedRanks placed;
  std::vector<std::int64_t> ranks_on;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t host = placement.hosts[rank];
    const auto known = hosts.count == 0 ? most_hosts : static_cast<std::size_t>(hosts.count);
    if (host >= known)
      throw Error(of_rank(rank) + ", but there are " + counted(known, "host") +
                  ", numbered from 0; change the file or set hosts.count");
    if (host >= ranks_on.size()) ranks_on.resize(host + 1);
    if (++ranks_on[host] > hosts.processors && hosts.quantum == SimTime())
      throw Error(of_rank(rank) + ", whose " +
                  counted(static_cast<std::size_t>(hosts.processors), "processor") +
                  (hosts.processors == 1 ? " is" : " are") +
                  " taken by ranks before it; change the file or set hosts.processors, or hosts.quantum "
                  "for ranks that share them");
    placed.host_of.push_back(static_cast<HostId>(host));
  }
  placed.hosts = hosts.count == 0 ? std::max(ranks_on.size(), placement.open_hosts)
                                  : static_cast<std::size_t>(hosts.count);
  return placed;
}

PlacedRanks place_by_number(std::size_t ranks, const Placement& placement, const HostParameters& hosts,
                            const std::string& platform, std::size_t ports, const HostGroups& groups) {
  const std::size_t per_host = placement.per_host, needed = (ranks + per_host - 1) / per_host;
  const std::string what = "--ranks-per-host " + std::to_string(per_host) + ": ";
  if (per_host > static_cast<std::size_t>(hosts.processors) && hosts.quantum == SimTime())
    throw Error(what + "a host of " + platform + " has " +
                counted(static_cast<std::size_t>(hosts.processors), "processor") +
                "; take fewer ranks a host, or set hosts.processors=" + std::to_string(per_host) +
                ", or hosts.quantum (\"10 ms\") for ranks that share processors");
  const bool over_all = placement.kind == Placement::Kind::spread || has_an_order(placement);
  const std::size_t open = over_all && ports > 0 ? ports : needed;
  const std::size_t count = hosts.count == 0 ? open : static_cast<std::size_t>(hosts.count);
  if (needed > std::min(count, most_hosts))
    throw Error(what + counted(ranks, "rank") + " take " + counted(needed, "host") + ", and " + platform +
                " has " + std::to_string(std::min(count, most_hosts)) +
                "; take more ranks a host, or set hosts.count");
  PlacedRanks placed;
  placed.hosts = count;
  if (has_an_order(placement)) {
    placed.host_of = place_in_order(ranks, placement, count, per_host, groups);
    return placed;
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::size_t host = rank / per_host;
    if (placement.kind == Placement::Kind::cyclic) host = rank % needed;
    if (placement.kind == Placement::Kind::spread) host = host * count / needed;
    placed.host_of.push_back(static_cast<HostId>(host));
  }
  return placed;
}

/// As many hosts as a placement likes to have. @param needed  with all processors taken
std::size_t hosts_for(Placement::Kind kind, std::size_t ranks, std::size_t needed, std::size_t ports) {
  if (kind == Placement::Kind::block) return needed;
  if (ports == 0) return std::min(ranks, most_hosts);
  return kind == Placement::Kind::cyclic ? std::min(ranks, ports) : ports;
}

}  // namespace

PlacedRanks place(std::size_t ranks, const Placement& placement, const HostParameters& hosts,
                  const std::string& platform, std::size_t ports, const HostGroups& groups) {
  if (ranks == 0) throw Error("a run needs at least 1 rank; set -n");
  if (placement.kind == Placement::Kind::listed) return place_listed(ranks, placement, hosts);
  if (placement.kind == Placement::Kind::later) {
    const std::size_t open = std::max<std::size_t>(placement.open_hosts, 1);
    return {std::vector<HostId>(ranks, HostId{0}),
            hosts.count == 0 ? open : static_cast<std::size_t>(hosts.count)};
  }
  if (placement.per_host > 0) return place_by_number(ranks, placement, hosts, platform, ports, groups);
  const auto processors = static_cast<std::size_t>(hosts.processors);
  const std::size_t needed = (ranks + processors - 1) / processors;
  const bool apart = placement.kind != Placement::Kind::block;
  const std::size_t count = hosts.count == 0 ? hosts_for(placement.kind, ranks, needed, apart ? ports : 0)
                                             : static_cast<std::size_t>(hosts.count);
  const bool share = hosts.quantum > SimTime();
  if (!share && (needed > count || needed > most_hosts))
    throw Error("platform " + platform + " has " + counted(std::min(count, most_hosts), "host") + " with " +
                counted(processors, "processor") + (count == 1 ? "" : " each") + ", too few for " +
                counted(ranks, "rank") + "; set " +
                (ports == 0 || needed <= ports ? "hosts.count=" + std::to_string(needed) + " or " : "") +
                "hosts.processors=" + std::to_string((ranks + count - 1) / count) +
                ", or hosts.quantum (\"10 ms\") for ranks that share processors");
  const std::size_t on_each = std::max(processors, (ranks + count - 1) / count);
  PlacedRanks placed;
  placed.hosts = count;
  if (has_an_order(placement)) {
    placed.host_of = place_in_order(ranks, placement, count, on_each, groups);
    return placed;
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::size_t host = rank / on_each;
    if (placement.kind == Placement::Kind::cyclic) host = rank % count;
    if (placement.kind == Placement::Kind::spread) host = rank * count / ranks;
    placed.host_of.push_back(static_cast<HostId>(host));
  }
  return placed;
}

}  // namespace morgana
