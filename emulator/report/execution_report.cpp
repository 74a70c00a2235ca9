#include "emulator/report/execution_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/report/readable.h"
#include "emulator/report/table.h"

namespace morgana {
namespace {

SimTime mean_of(SimTime sum, std::uint64_t count) {
  return SimTime::from_ps(sum.ps() / static_cast<std::int64_t>(count));
}

/// In bytes per second; 0: not known.
double bus_bandwidth(const CollectiveUse& use) {
  return use.total > SimTime() ? use.bus_bytes / use.total.seconds() : 0;
}

std::vector<CollectiveUse> longest_first(const ExecutionUse& use) {
  std::vector<CollectiveUse> all = use.collectives;
  std::stable_sort(all.begin(), all.end(),
                   [](const CollectiveUse& a, const CollectiveUse& b) { return a.total > b.total; });
  return all;
}

}  // namespace

std::string execution_text(const ExecutionUse& use) {
  const auto share = [&](SimTime part) {
    return use.total() > SimTime() ? readable_share(part.seconds() / use.total().seconds()) : "-";
  };
  return fmt::format(
      "computing {} ({}), communication {} exposed ({}) and {} hidden behind computing ({}), idle {} ({})",
      readable(use.computing + use.hidden), share(use.computing + use.hidden), readable(use.exposed),
      share(use.exposed), readable(use.hidden), share(use.hidden), readable(use.idle), share(use.idle));
}

std::string collectives_text(const ExecutionUse& use, std::size_t most) {
  if (use.collectives.empty()) return "";
  constexpr double bytes_per_gigabyte = 1e9;
  const std::vector<CollectiveUse> all = longest_first(use);
  TextTable table({"collective", "times", "mean time", "longest", "waits for the last", "busbw (GB/s)"});
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    const CollectiveUse& one = all[i];
    table.add({one.what, fmt::format("{}", one.times), readable(mean_of(one.total, one.times)),
               readable(one.longest), readable(mean_of(one.late, one.times)),
               bus_bandwidth(one) > 0 ? readable_number(bus_bandwidth(one) / bytes_per_gigabyte) : "-"});
  }
  std::string text = "collectives of the schedule, from their last rank's entry on\n" + table.text("  ");
  if (all.size() > most) text += fmt::format("  and {} other kinds\n", all.size() - most);
  return text;
}

std::vector<std::string> collective_lines(const ExecutionUse& use, std::size_t most) {
  constexpr double bytes_per_gigabyte = 1e9;
  std::vector<std::string> lines;
  for (const CollectiveUse& one : longest_first(use)) {
    if (lines.size() == most) break;
    lines.push_back(fmt::format("{}: {}, {} on average (longest {}), after {} of waiting for the last rank",
                                one.what, one.times == 1 ? "once" : fmt::format("{} times", one.times),
                                readable(mean_of(one.total, one.times)), readable(one.longest),
                                readable(mean_of(one.late, one.times))));
    if (bus_bandwidth(one) > 0)
      lines.back() +=
          fmt::format("; busbw {} GB/s", readable_number(bus_bandwidth(one) / bytes_per_gigabyte));
  }
  return lines;
}

nlohmann::ordered_json execution_json(const ExecutionUse& use) {
  nlohmann::ordered_json report{{"computing_ps", (use.computing + use.hidden).ps()},
                                {"exposed_communication_ps", use.exposed.ps()},
                                {"hidden_communication_ps", use.hidden.ps()},
                                {"idle_ps", use.idle.ps()},
                                {"collectives", nlohmann::ordered_json::array()}};
  for (const CollectiveUse& one : use.collectives) {
    report["collectives"].push_back({{"collective", one.what},
                                     {"times", one.times},
                                     {"time_ps", one.total.ps()},
                                     {"longest_ps", one.longest.ps()},
                                     {"late_ps", one.late.ps()}});
    if (bus_bandwidth(one) > 0) report["collectives"].back()["busbw"] = bus_bandwidth(one);
  }
  return report;
}

}  // namespace morgana
