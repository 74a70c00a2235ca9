#include "emulator/platform/placement.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "emulator/core/quantity.h"
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
  placed.hosts = hosts.count == 0 ? ranks_on.size() : static_cast<std::size_t>(hosts.count);
  return placed;
}

PlacedRanks place_by_number(std::size_t ranks, const Placement& placement, const HostParameters& hosts,
                            const std::string& platform, std::size_t ports) {
  const std::size_t per_host = placement.per_host, needed = (ranks + per_host - 1) / per_host;
  const std::string what = "--ranks-per-host " + std::to_string(per_host) + ": ";
  if (per_host > static_cast<std::size_t>(hosts.processors) && hosts.quantum == SimTime())
    throw Error(what + "a host of " + platform + " has " +
                counted(static_cast<std::size_t>(hosts.processors), "processor") +
                "; take fewer ranks a host, or set hosts.processors=" + std::to_string(per_host) +
                ", or hosts.quantum (\"10 ms\") for ranks that share processors");
  const std::size_t open = placement.kind == Placement::Kind::spread && ports > 0 ? ports : needed;
  const std::size_t count = hosts.count == 0 ? open : static_cast<std::size_t>(hosts.count);
  if (needed > std::min(count, most_hosts))
    throw Error(what + counted(ranks, "rank") + " take " + counted(needed, "host") + ", and " + platform +
                " has " + std::to_string(std::min(count, most_hosts)) +
                "; take more ranks a host, or set hosts.count");
  PlacedRanks placed;
  placed.hosts = count;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::size_t host = rank / per_host;
    if (placement.kind == Placement::Kind::cyclic) host = rank % needed;
    if (placement.kind == Placement::Kind::spread) host = host * count / needed;
    placed.host_of.push_back(static_cast<HostId>(host));
  }
  return placed;
}

/// "block", "cyclic" or "spread" with a number of ranks a host behind a colon, or without; nothing for other
/// texts.
std::optional<Placement> placement_by_rule(const std::string& text) {
  Placement placement;
  const std::size_t colon = text.find(':');
  const std::string rule = text.substr(0, colon);
  if (rule == "cyclic")
    placement.kind = Placement::Kind::cyclic;
  else if (rule == "spread")
    placement.kind = Placement::Kind::spread;
  else if (rule != "block")
    return std::nullopt;
  if (colon == std::string::npos) return placement;
  std::int64_t number = 0;
  try {
    number = parse_count(text.substr(colon + 1), "");
  } catch (const Error&) {
    number = 0;
  }
  if (number < 1)
    throw Error("--map " + text + ": behind the colon stands how many ranks run on each host, as in " + rule +
                ":4");
  placement.per_host = static_cast<std::size_t>(number);
  return placement;
}

/// As many hosts as a placement likes to have. @param needed  with all processors taken
std::size_t hosts_for(Placement::Kind kind, std::size_t ranks, std::size_t needed, std::size_t ports) {
  if (kind == Placement::Kind::block) return needed;
  if (ports == 0) return std::min(ranks, most_hosts);
  return kind == Placement::Kind::spread ? ports : std::min(ranks, ports);
}

}  // namespace

PlacedRanks place(std::size_t ranks, const Placement& placement, const HostParameters& hosts,
                  const std::string& platform, std::size_t ports) {
  if (ranks == 0) throw Error("a run needs at least 1 rank; set -n");
  if (placement.kind == Placement::Kind::listed) return place_listed(ranks, placement, hosts);
  if (placement.kind == Placement::Kind::later) {
    const std::size_t open = std::max<std::size_t>(placement.open_hosts, 1);
    return {std::vector<HostId>(ranks, HostId{0}),
            hosts.count == 0 ? open : static_cast<std::size_t>(hosts.count)};
  }
  if (placement.per_host > 0) return place_by_number(ranks, placement, hosts, platform, ports);
  const auto processors = static_cast<std::size_t>(hosts.processors);
  const std::size_t needed = (ranks + processors - 1) / processors;
  const bool apart = placement.kind == Placement::Kind::cyclic || placement.kind == Placement::Kind::spread;
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
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::size_t host = rank / on_each;
    if (placement.kind == Placement::Kind::cyclic) host = rank % count;
    if (placement.kind == Placement::Kind::spread) host = rank * count / ranks;
    placed.host_of.push_back(static_cast<HostId>(host));
  }
  return placed;
}

Placement read_placement(const std::string& text) {
  if (const std::optional<Placement> placement = placement_by_rule(text)) return *placement;
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored))
    throw Error(
        "--map " + text +
        ": that is neither block, cyclic nor spread, and there is no such file; give one of these, or a "
        "file with a host number per line");
  Placement placement{Placement::Kind::listed, {}, text};
  const std::string content = read_text(text, "");
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < content.size(); ++number) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    begin = end + 1;
    line.erase(std::min(line.find('#'), line.size()));
    const bool blank = std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c); });
    if (blank) continue;
    while (std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    const auto refuse = [&](const std::string& why) {
      throw Error(text + ":" + std::to_string(number) + ": " + why +
                  "; write one host number a line, for rank 0, 1, and so on, counted from 0");
    };
    std::int64_t host = 0;
    try {
      host = parse_count(line, "");
    } catch (const Error&) {
      refuse("\"" + line.substr(0, 40) + "\" is no host number");
    }
    if (host >= std::int64_t{most_hosts})
      refuse("host " + std::to_string(host) + " is out of range, the last is 65535");
    placement.hosts.push_back(static_cast<std::uint32_t>(host));
  }
  if (placement.hosts.empty())
    throw Error(text + ": it places no rank; write one host number a line, for rank 0, 1, and so on");
  return placement;
}

}  // namespace morgana
