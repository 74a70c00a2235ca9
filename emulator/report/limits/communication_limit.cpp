#include "emulator/report/limits/communication_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

constexpr double worth_telling = 0.1, almost_all = 0.9995;
/// As in limiting_tier_text(), of a link.
constexpr double link_limits = 0.5;

/// How a run's time falls into computing and the rest.
struct Division {
  enum class By : std::uint8_t { ranks, path, execution } by = By::ranks;
  double computing = 0;      // share of the whole
  double communication = 0;  // seconds
  const char* of = "";       // what they are shares of
};

Division division_of(const RunStatistics& statistics, const CriticalPath* path,
                     const ExecutionUse* execution) {
  if (execution != nullptr && execution->total() > SimTime())
    return {Division::By::execution,
            (execution->computing + execution->hidden).seconds() / execution->total().seconds(),
            (execution->exposed + execution->hidden).seconds(), "the ranks' time"};
  if (path != nullptr && path->total() > SimTime()) {
    const SimTime computing = path->time(PathKind::computing);
    return {Division::By::path, computing.seconds() / path->total().seconds(),
            (path->total() - computing - path->time(PathKind::waiting)).seconds(), "the critical path"};
  }
  const double computing = statistics.mean_compute().seconds(),
               communication = statistics.mean_communication().seconds();
  if (!(computing + communication > 0)) return {};
  return {Division::By::ranks, computing / (computing + communication), communication, "the ranks' time"};
}

/// What takes most of a critical path apart from computing.
struct GreatestPart {
  PathKind kind;
  const char* name;
  double seconds;
  const CriticalPath* divided = nullptr;  ///< of the network

  std::string text(double of, const char* what = "") const {
    const std::string parts = divided == nullptr ? "" : network_parts_text(*divided, of);
    return fmt::format("mostly {} ({}{}{}{})", name, readable_share(seconds / of), what,
                       parts.empty() ? "" : ": ", parts);
  }
};

std::optional<GreatestPart> greatest_part(const CriticalPath* path) {
  if (path == nullptr) return std::nullopt;
  std::array parts{GreatestPart{PathKind::host, "calls and copies on hosts", 0},
                   GreatestPart{PathKind::protocol, "the protocol's requests and answers", 0},
                   GreatestPart{PathKind::wire, "NICs and network", 0},
                   GreatestPart{PathKind::retransmission, "retransmission timers", 0}};
  for (GreatestPart& one : parts) one.seconds = path->time(one.kind).seconds();
  GreatestPart& most = *std::ranges::max_element(parts, {}, &GreatestPart::seconds);
  if (most.kind == PathKind::wire) most.divided = path;
  return most.seconds > 0 ? std::optional(most) : std::nullopt;
}

double busiest_of(const NetworkLoads& links) {
  double most = 0;
  for (const LinkLoad& link : links.loads) most = std::max(most, link.utilisation);
  for (const ResourceLoad& resource : links.resources) most = std::max(most, resource.utilisation);
  return most;
}

/// "no link is busy for half of the run (most: links to hosts, 46.8 %)", of a medium that all share "the
/// shared segment (network.rate) is busy for 46.8 % of the run". Some are in use.
/// @param whole  what shares are of
/// @param share  of the busiest, as text
std::string idle_text(const NetworkLoads& links, LinkedHosts hosts, const char* whole,
                      const std::string& share) {
  const std::vector<LinkTier> tiers = link_tiers(links, hosts);
  const LinkTier& most = busiest_tier(tiers);
  if (is_one_medium(links)) return fmt::format("{} is busy for {} of {}", most.name, share, whole);
  const bool has_links = !links.loads.empty(), has_resources = !links.resources.empty();
  return fmt::format("no {}{}{} is busy for half of {} (most: {}, {})", has_links ? "link" : "",
                     has_links && has_resources && !most.of_links ? " or host" : "", has_links ? "" : "host",
                     whole, most.name, share);
}

/// Seconds in which the path is neither on a rank nor on a host.
double in_network(const CriticalPath& path) {
  return (path.time(PathKind::wire) + path.time(PathKind::protocol) + path.time(PathKind::retransmission))
      .seconds();
}

/// Seconds in which what is of that tier may hold up the path.
double on_path(const CriticalPath& path, const LinkTier& tier) {
  return tier.of_memory ? path.time(PathKind::host).seconds() : in_network(path);
}

/// What limits the run while it does not compute, as a clause behind a comma or semicolon; empty: not known.
/// When links carry their data is not known here: at most all of it in that time.
/// @param communication  seconds, > 0
std::string limit_during(const RunStatistics& statistics, const std::optional<GreatestPart>& part,
                         const NetworkLoads& links, LinkedHosts hosts, double communication) {
  const double whole = statistics.simulated_time().seconds(), most = busiest_of(links),
               stretched = whole / communication;
  const std::string mostly = part ? "; " + part->text(communication) : "";
  if (most * stretched > 1 / almost_all) {
    const std::vector<LinkTier> tiers = link_tiers(links, hosts);
    const LinkTier& busiest = busiest_tier(tiers);
    const std::string& name = busiest.name;
    const char* const does = busiest.of_memory          ? "are busy"
                             : name.starts_with("the ") ? "carries data"
                                                        : "carry data";
    return fmt::format("{} {} for {}, partly during computing{}", name, does, readable_seconds(most * whole),
                       mostly);
  }
  if (most * stretched > link_limits) {
    NetworkLoads during = links;
    const auto stretch = [&](auto& one) { one.utilisation = std::min(1.0, one.utilisation * stretched); };
    std::ranges::for_each(during.loads, stretch);
    std::ranges::for_each(during.resources, stretch);
    return limiting_tier_text(during, hosts, " of that time", "at most ") +
           (part && part->kind != PathKind::wire ? mostly : "");
  }
  if (!(most > 0)) return part ? part->text(communication) : "";
  return idle_text(links, hosts, "that time", "at most " + readable_share(most * stretched)) + mostly;
}

/// Where one rank does more than half of the hosts' work on the path, and others have a part in the path.
std::string busiest_rank(const CriticalPath& path, double host_seconds) {
  if (path.ranks() < 2) return "";
  std::map<Rank, double> work;
  for (const CriticalPath::Step& step : path.steps)
    work[step.who.rank] += step.times[static_cast<std::size_t>(PathKind::host)].seconds();
  for (const auto& [rank, seconds] : work)
    if (2 * seconds > host_seconds) return fmt::format(", most of it on rank {}", index(rank));
  return "";
}

/// What limits a run that computes for little of its time, and not by its links.
std::string limit_beside_links(const CriticalPath* path, const NetworkLoads& links, LinkedHosts hosts) {
  const double most = busiest_of(links);
  if (!(most > 0)) return "";
  std::string text;
  if (most > link_limits) {
    const std::vector<LinkTier> tiers = link_tiers(links, hosts);
    const LinkTier& busiest = busiest_tier(tiers);
    text =
        fmt::format("{} for {} of the run, yet the path spends {} {}", are_busy(busiest),
                    readable_share(most), readable_share(on_path(*path, busiest) / path->total().seconds()),
                    busiest.of_memory ? "on hosts" : "in the network");
  } else {
    text = idle_text(links, hosts, "the run", readable_share(most));
  }
  const std::optional<GreatestPart> part = greatest_part(path);
  if (!part) return text;
  const double whole = path->total().seconds();
  if (part->kind == PathKind::wire) return text + "; " + part->text(whole, " of the critical path");
  return fmt::format("{}: {} of the critical path{}; {}", part->name, readable_share(part->seconds / whole),
                     part->kind == PathKind::host ? busiest_rank(*path, part->seconds) : "", text);
}

/// Of an execution trace whose collectives no link limits: whether ranks work for them, or wait for the
/// network.
std::string work_of_collectives(const ExecutionUse* execution) {
  if (execution == nullptr || execution->exposed == SimTime()) return "";
  const double share = execution->working.seconds() / execution->exposed.seconds();
  return fmt::format(
      "while communication is exposed, ranks add up and copy for {}, and wait for messages for {}",
      readable_share(share), readable_share(1 - share));
}

std::string joined(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + "; " + other;
}

/// Where the ranks' time in calls is far from that of the path: how long it is; else empty.
std::string calls_text(const RunStatistics& statistics, double communication) {
  constexpr double far = 2;
  const double calls = statistics.mean_communication().seconds();
  if (!(calls > 0)) return "";
  if (calls <= far * communication && communication <= far * calls) return "";
  return fmt::format("; the ranks are in calls for {} on average", readable_seconds(calls));
}

}  // namespace

std::string network_parts_text(const CriticalPath& path, double of) {
  if (!path.alone) return "";
  const double latency = path.alone->latency.seconds(), data = path.alone->data.seconds();
  return fmt::format(
      "latency {}, its messages' own data {}, queues {}", readable_share(latency / of),
      readable_share(data / of),
      readable_share(std::max(path.time(PathKind::wire).seconds() - latency - data, 0.0) / of));
}

NetworkLoads loads_that_hold_up(const NetworkLoads& links, const CriticalPath* path) {
  if (path == nullptr || path->total() == SimTime()) return links;
  const double whole = path->total().seconds();
  const auto is_memory = [](const ResourceLoad& one) { return one.place == ResourceLoad::Place::memory; };
  NetworkLoads others = links, memories;
  std::ranges::copy_if(links.resources, std::back_inserter(memories.resources), is_memory);
  std::erase_if(others.resources, is_memory);
  NetworkLoads held = links;
  if (in_network(*path) < busiest_of(others) / 2 * whole) held = memories;
  if (path->time(PathKind::host).seconds() < busiest_of(memories) / 2 * whole)
    std::erase_if(held.resources, is_memory);
  return held;
}

bool links_limit(const NetworkLoads& links, const CriticalPath* path) {
  return busiest_of(loads_that_hold_up(links, path)) > link_limits;
}

std::string limit_text(const RunStatistics& statistics, const CriticalPath* path, const NetworkLoads& links,
                       const ExecutionUse* execution, LinkedHosts hosts) {
  const Division division = division_of(statistics, path, execution);
  const bool by_path = division.by == Division::By::path;
  const CriticalPath* const known = by_path ? path : nullptr;
  if (links_limit(links, known)) return limiting_tier_text(loads_that_hold_up(links, known), hosts);
  if (division.computing < worth_telling)
    return division.communication > 0
               ? joined(limit_beside_links(known, links, hosts), work_of_collectives(execution))
               : "";
  std::string text = fmt::format("computing takes {} of {}", readable_share(division.computing), division.of);
  if (division.computing > almost_all || !(division.communication > 0)) return text;
  const std::string during =
      limit_during(statistics, greatest_part(known), links, hosts, division.communication);
  if (during.empty()) return text;
  const std::string time = readable_seconds(division.communication);
  text += division.by == Division::By::execution
              ? fmt::format("; in the {} of communication, hidden and exposed, ", time)
              : fmt::format("; in the other {}, ", time);
  text += during;
  if (during.starts_with("no ")) text = joined(text, work_of_collectives(execution));
  if (by_path) text += calls_text(statistics, division.communication);
  return text;
}

}  // namespace morgana
