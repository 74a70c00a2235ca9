#include "emulator/report/communication_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "emulator/report/link_tiers.h"
#include "emulator/report/readable.h"

namespace morgana {
namespace {

constexpr double dominates = 0.5, worth_telling = 0.1, almost_all = 0.9995;
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
  std::string text;  // "mostly the way through NICs and network (80.0 %)"
};

/// @param communication  seconds of the path
std::optional<GreatestPart> greatest_part(const CriticalPath* path, double communication) {
  if (path == nullptr || !(communication > 0)) return std::nullopt;
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
  return GreatestPart{most.kind,
                      fmt::format("mostly {} ({})", most.text,
                                  readable_share(path->time(most.kind).seconds() / communication))};
}

double busiest_of(const NetworkLinks& links) {
  double most = 0;
  for (const LinkLoad& link : links.loads) most = std::max(most, link.utilisation);
  return most;
}

/// What limits the run while it does not compute, as a clause behind a comma or semicolon; empty: not known.
/// When links carry their data is not known here: at most all of it in that time.
/// @param communication  seconds, > 0
std::string limit_during(const RunStatistics& statistics, const std::optional<GreatestPart>& part,
                         const NetworkLinks& links, double communication) {
  const double whole = statistics.simulated_time().seconds(), most = busiest_of(links),
               stretched = whole / communication;
  if (most * stretched > 1 / almost_all)
    return fmt::format("{} carry data for {} in all, beside computing, too{}", link_tiers(links).front().name,
                       readable_seconds(most * whole), part ? "; the path is " + part->text : "");
  if (most * stretched > link_limits) {
    NetworkLinks during = links;
    for (LinkLoad& link : during.loads) link.utilisation = std::min(1.0, link.utilisation * stretched);
    return limiting_tier_text(during, " of it at most") +
           (part && part->kind != PathKind::wire ? "; the path is " + part->text : "");
  }
  std::string text;
  if (most > 0)
    text = fmt::format("no link is busy for half of it (most of all {}: at most {})",
                       link_tiers(links).front().name, readable_share(most * stretched));
  if (part) text += (text.empty() ? "" : ": ") + part->text;
  return text;
}

/// Where the ranks' time in calls is far from that of the path: how long it is; else empty.
std::string calls_text(const RunStatistics& statistics, double communication) {
  constexpr double far = 2;
  const double calls = statistics.mean_communication().seconds();
  if (!(calls > 0)) return "";
  if (calls <= far * communication && communication <= far * calls) return "";
  return fmt::format("; the ranks are in calls for {} in the mean", readable_seconds(calls));
}

}  // namespace

std::string limit_text(const RunStatistics& statistics, const CriticalPath* path, const NetworkLinks& links,
                       const ExecutionUse* execution) {
  const Division division = division_of(statistics, path, execution);
  if (busiest_of(links) > link_limits || division.computing < worth_telling) return limiting_tier_text(links);
  std::string text =
      fmt::format("computing {} {} of {}", division.computing >= dominates ? "dominates:" : "takes",
                  readable_share(division.computing), division.of);
  if (division.computing > almost_all || !(division.communication > 0)) return text;
  const bool by_path = division.by == Division::By::path;
  const std::string during =
      limit_during(statistics, by_path ? greatest_part(path, division.communication) : std::nullopt, links,
                   division.communication);
  if (during.empty()) return text;
  const std::string time = readable_seconds(division.communication);
  text += division.by == Division::By::execution
              ? fmt::format("; during communication, {} hidden and exposed, ", time)
              : fmt::format("; during the other {}, ", time);
  text += during;
  if (by_path) text += calls_text(statistics, division.communication);
  return text;
}

}  // namespace morgana
