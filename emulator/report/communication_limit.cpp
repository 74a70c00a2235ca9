#include "emulator/report/communication_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emulator/report/link_tiers.h"
#include "emulator/report/readable.h"

namespace morgana {
namespace {

constexpr double dominates = 0.5, worth_telling = 0.1, almost_all = 0.9995;
/// As in limiting_tier_text(), of a link.
constexpr double link_limits = 0.6;

/// How a run's time falls into computing and the rest.
struct Division {
  double computing = 0;      // share of the whole
  double communication = 0;  // seconds
  const char* of = "";       // what they are shares of
};

Division division_of(const RunStatistics& statistics, const CriticalPath* path,
                     const ExecutionUse* execution) {
  if (execution != nullptr && execution->total() > SimTime())
    return {(execution->computing + execution->hidden).seconds() / execution->total().seconds(),
            (execution->exposed + execution->hidden).seconds(), "the ranks' time"};
  if (path != nullptr && path->total() > SimTime()) {
    const SimTime computing = path->time(PathKind::computing);
    return {computing.seconds() / path->total().seconds(),
            (path->total() - computing - path->time(PathKind::waiting)).seconds(), "the critical path"};
  }
  const double computing = statistics.mean_compute().seconds(),
               communication = statistics.mean_communication().seconds();
  if (!(computing + communication > 0)) return {};
  return {computing / (computing + communication), communication, "the ranks' time"};
}

/// What takes most of a critical path but computing, in words; empty without a path.
std::string greatest_part(const CriticalPath* path, double communication) {
  if (path == nullptr || !(communication > 0)) return "";
  struct Part {
    PathKind kind;
    const char* text;
  };
  static constexpr std::array parts{Part{PathKind::host, "what the library and the hosts take"},
                                    Part{PathKind::protocol, "the protocol's requests and answers"},
                                    Part{PathKind::wire, "the way through NICs and network"},
                                    Part{PathKind::retransmission, "retransmission timers"}};
  const Part& most =
      *std::ranges::max_element(parts, {}, [&](const Part& one) { return path->time(one.kind); });
  return fmt::format("mostly {} ({})", most.text,
                     readable_share(path->time(most.kind).seconds() / communication));
}

/// What limits the run while it does not compute, as a clause behind a comma or semicolon; empty: not known.
/// @param communication  seconds, > 0
std::string limit_during(const RunStatistics& statistics, const CriticalPath* path, const NetworkLinks& links,
                         double communication) {
  const double whole = statistics.simulated_time().seconds();
  double most = 0;
  for (const LinkLoad& link : links.loads) most = std::max(most, link.utilisation);
  const double stretched = whole / communication;
  if (most * stretched > 1)
    return fmt::format("{} carry data for {} in all, beside computing, too", link_tiers(links).front().name,
                       readable_seconds(most * whole));
  if (most * stretched >= link_limits) {
    NetworkLinks during = links;
    for (LinkLoad& link : during.loads) link.utilisation *= stretched;
    return limiting_tier_text(during, "");
  }
  std::string text;
  if (most > 0)
    text = fmt::format("no link is busy for long (most of all {}: {})", link_tiers(links).front().name,
                       readable_share(most * stretched));
  if (const std::string part = greatest_part(path, communication); !part.empty())
    text += (text.empty() ? "" : ": ") + part;
  return text;
}

}  // namespace

std::string limit_text(const RunStatistics& statistics, const CriticalPath* path, const NetworkLinks& links,
                       const ExecutionUse* execution) {
  if (std::string text = limiting_tier_text(links); !text.empty()) return text;
  const Division division = division_of(statistics, path, execution);
  if (division.computing < worth_telling) return "";
  std::string text =
      fmt::format("computing {} {} of {}", division.computing >= dominates ? "dominates:" : "takes",
                  readable_share(division.computing), division.of);
  if (division.computing > almost_all || !(division.communication > 0)) return text;
  const std::string during = limit_during(statistics, path, links, division.communication);
  if (during.empty()) return text;
  const std::string time = readable_seconds(division.communication);
  return text +
         (execution != nullptr ? fmt::format("; during communication, {} hidden and exposed, ", time)
                               : fmt::format("; during the other {}, ", time)) +
         during;
}

}  // namespace morgana
