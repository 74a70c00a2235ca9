#include "runs/placement/placing_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/report/json_text.h"
#include "emulator/report/readable.h"
#include "emulator/report/table.h"

namespace morgana {
namespace {

std::string name_of(const PlacedMap& map) {
  return map.found ? map.name + ", ranks exchanged" : map.name;
}

/// Links that a byte crosses, messages counted as so many bytes.
double links_a_byte(std::int64_t cost, std::int64_t weight) {
  return weight > 0 ? static_cast<double>(cost) / static_cast<double>(weight) : 0;
}

double ratio(SimTime time, SimTime to) {
  return to > SimTime() ? time.seconds() / to.seconds() : 1;
}

std::string verdict(const Placing& placing) {
  const PlacedMap &given = placing.placements.front(), &best = placing.placements[placing.best];
  if (placing.best == 0)
    return fmt::format("best: {} as it is; no other placement takes less\n", name_of(given));
  if (best.time == given.time)
    return fmt::format("best: {}, which takes as long as {}, over fewer links\n", name_of(best),
                       name_of(given));
  constexpr double percent = 100;
  return fmt::format("best: {}, which takes {}: saves {:.1f} % of {} with {}\n", name_of(best),
                     readable(best.time), percent * (1 - ratio(best.time, given.time)), readable(given.time),
                     name_of(given));
}

}  // namespace

std::string placing_text(const PlacingSubject& subject, const Placing& placing) {
  std::string text = fmt::format("--- {} | {} ranks | {}\n", subject.trace, placing.ranks, subject.platform);
  text += fmt::format("traffic  {} in {} messages between {} pairs of ranks, with those of collectives\n",
                      readable(placing.traffic.bytes), placing.traffic.messages, placing.pairs);
  TextTable table({"placement", "hosts", "links a byte", "at least", "time", "ratio"});
  for (const PlacedMap& map : placing.placements)
    table.add({name_of(map) + (&map == &placing.placements[placing.best] ? " *" : ""),
               fmt::format("{}", map.hosts_in_use),
               fmt::format("{:.3f}", links_a_byte(map.cost, placing.weight)),
               fmt::format("{:.3f}", links_a_byte(map.least, placing.weight)), readable(map.time),
               fmt::format("{:.3f}", ratio(map.time, placing.placements.front().time))});
  return text + table.text() + verdict(placing);
}

std::string placing_json(const PlacingSubject& subject, const Placing& placing) {
  nlohmann::ordered_json all{
      {"trace", subject.trace},
      {"platform", subject.platform},
      {"set", subject.overrides},
      {"seed", subject.seed},
      {"message_weight", subject.message.count()},
      {"ranks", placing.ranks},
      {"messages", placing.traffic.messages},
      {"bytes", placing.traffic.bytes.count()},
      {"pairs", placing.pairs},
      {"weight", placing.weight},
      {"best", placing.best},
      {"saves", 1 - ratio(placing.placements[placing.best].time, placing.placements.front().time)}};
  all["placements"] = nlohmann::ordered_json::array();
  for (const PlacedMap& map : placing.placements)
    all["placements"].push_back({{"map", map.name},
                                 {"exchanged", map.found},
                                 {"hosts_in_use", map.hosts_in_use},
                                 {"cost", map.cost},
                                 {"least_cost", map.least},
                                 {"simulated_time_ps", map.time.ps()},
                                 {"hosts", map.hosts}});
  return json_text(all);
}

std::string map_file(const PlacingSubject& subject, const Placing& placing) {
  const PlacedMap& best = placing.placements[placing.best];
  std::string text = fmt::format("# hosts of ranks 0 to {} of {} on {}: {}\n", placing.ranks - 1,
                                 subject.trace, subject.platform, name_of(best));
  for (const std::uint32_t host : best.hosts) text += fmt::format("{}\n", host);
  return text;
}

}  // namespace morgana
