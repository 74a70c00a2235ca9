#include "emulator/report/limits/critical_path_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

constexpr PathKind all_kinds[] = {PathKind::computing, PathKind::host,           PathKind::protocol,
                                  PathKind::wire,      PathKind::retransmission, PathKind::waiting};
/// What a faster machine, or timers that run out earlier, would make shorter; what ranks sleep is the
/// program's. Faster links alone shorten no wait for a timer.
struct Gain {
  PathKind kind;
  const char* what;
  const char* key;
};
constexpr Gain gains[] = {{PathKind::computing, "processors", "computing"},
                          {PathKind::host, "the hosts' work", "host"},
                          {PathKind::protocol, "protocols", "protocol"},
                          {PathKind::wire, "NICs and links", "wire"},
                          {PathKind::retransmission, "retransmission timers", "retransmission"}};

std::string counted(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string shares_of(const CriticalPath& path) {
  const double total = path.total().seconds();
  std::string shares;
  for (const PathKind kind : all_kinds)
    if (path.time(kind) > SimTime())
      shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", shown_name(kind),
                            readable_share(path.time(kind).seconds() / total));
  return shares;
}

/// Where it lies. A message whose end only its sender waits for is one of a rank to itself there.
std::string way_of(const CriticalPath& path, std::size_t services) {
  std::set<std::size_t> ranks;
  for (const CriticalPath::Step& step : path.steps)
    if (!step.message && step.end > step.begin) ranks.insert(index(step.who.rank));
  const auto serving = static_cast<std::size_t>(std::distance(ranks.begin(), ranks.lower_bound(services)));
  if (path.messages() > 0 || ranks.size() != 1)
    return fmt::format("through {}{} and {}", counted(ranks.size() - serving, "rank"),
                       serving > 0 ? ", PVM's daemon" : "", counted(path.messages(), "message"));
  const bool own = std::ranges::any_of(path.steps, &CriticalPath::Step::message);
  return fmt::format(
      "on rank {} alone{}", index(path.steps.front().who.rank),
      !own ? ""
      : path.time(PathKind::wire) > SimTime()
          ? ", which waits until its own sends are complete: their data take the network part, and "
            "no other rank delays them"
          : ", which waits until its own sends are complete");
}

}  // namespace

std::string_view shown_name(PathKind kind) {
  return kind == PathKind::wire ? "network" : name_of(kind);
}

std::string critical_path_shares(const CriticalPath& path, std::size_t services) {
  const std::string shares = shares_of(path);
  if (shares.empty()) return "";
  return fmt::format("{}; {}", shares, way_of(path, services));
}

std::string critical_path_text(const CriticalPath& path, std::size_t services) {
  std::string less;
  const std::string shares = shares_of(path);
  for (const Gain& gain : gains)
    if (path.time(gain.kind) > SimTime())
      less += fmt::format("{}{} {}", less.empty() ? "" : ", ", gain.what,
                          readable_share(path.times.gain_of_half(gain.kind)));
  std::string text = fmt::format("critical path  {}, {}", readable(path.total()), way_of(path, services));
  if (!shares.empty()) text += ": " + shares;
  text += '\n';
  if (!less.empty()) text += fmt::format("  saved if twice as fast, all else equal: {}\n", less);
  return text;
}

nlohmann::ordered_json critical_path_json(const CriticalPath& path) {
  nlohmann::ordered_json json{
      {"total_ps", path.total().ps()}, {"ranks", path.ranks()}, {"messages", path.messages()}};
  for (const PathKind kind : all_kinds) json[fmt::format("{}_ps", name_of(kind))] = path.time(kind).ps();
  if (path.alone)
    json["wire_parts"] = {
        {"latency_ps", path.alone->latency.ps()},
        {"data_ps", path.alone->data.ps()},
        {"queues_ps",
         std::max(path.time(PathKind::wire) - path.alone->latency - path.alone->data, SimTime()).ps()}};
  for (const Gain& gain : gains)
    json["at_most_less_if_twice_as_fast"][gain.key] = path.times.gain_of_half(gain.kind);
  std::map<Rank, SimTime> by_rank;
  for (const CriticalPath::Step& step : path.steps)
    if (!step.message && step.end > step.begin) by_rank[step.who.rank] += step.end - step.begin;
  json["per_rank"] = nlohmann::ordered_json::array();
  for (const auto& [rank, time] : by_rank)
    json["per_rank"].push_back({{"rank", index(rank)}, {"time_ps", time.ps()}});
  return json;
}

}  // namespace morgana
