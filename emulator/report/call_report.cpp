#include "emulator/report/call_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/report/readable.h"
#include "emulator/report/table.h"

namespace morgana {

std::string calls_text(std::span<const CallUse> calls, SimTime communication) {
  if (calls.empty() || communication <= SimTime()) return {};
  const std::span<const CallUse> shown = calls.first(std::min(calls.size(), summary_call_limit));
  struct Wait {
    const char* name;
    SimTime CallUse::*time;
  };
  std::vector<std::string> heading{"call", "calls", "time", "share", "bytes"};
  std::vector<Wait> waits;
  for (const Wait& wait :
       {Wait{"late sender", &CallUse::late_sender}, Wait{"late receiver", &CallUse::late_receiver},
        Wait{"collective wait", &CallUse::collective_wait}})
    if (std::ranges::any_of(shown, [&](const CallUse& use) { return use.*wait.time > SimTime(); })) {
      waits.push_back(wait);
      heading.emplace_back(wait.name);
    }
  TextTable table(heading);
  for (const CallUse& use : shown) {
    std::vector<std::string> row{
        std::string(name_of(use.call)), fmt::format("{}", use.count), readable(use.time),
        readable_share(use.time.seconds() / communication.seconds()), readable(use.bytes)};
    for (const Wait& wait : waits) row.push_back(readable(use.*wait.time));
    table.add(std::move(row));
  }
  return "calls, all ranks together; share: of the communication\n" + table.text("  ");
}

nlohmann::ordered_json calls_json(std::span<const CallUse> calls, bool emulated) {
  auto list = nlohmann::ordered_json::array();
  for (const CallUse& use : calls) {
    nlohmann::ordered_json entry{{"call", name_of(use.call)},
                                 {"count", use.count},
                                 {"time_ps", use.time.ps()},
                                 {"bytes", use.bytes.count()}};
    if (emulated) {
      entry["late_sender_ps"] = use.late_sender.ps();
      entry["late_receiver_ps"] = use.late_receiver.ps();
      entry["collective_wait_ps"] = use.collective_wait.ps();
    }
    list.push_back(std::move(entry));
  }
  return list;
}

CallColumns call_columns(const RunStatistics& statistics) {
  const std::vector<CallUse> all = statistics.calls();
  CallColumns columns{{"late_sender_ps", "late_receiver_ps", "collective_wait_ps"}, {}};
  for (const CallUse& use : all)
    for (const char* figure : {"calls", "ps", "bytes"})
      columns.heading.push_back(fmt::format("{}_{}", name_of(use.call), figure));
  for (std::size_t i = 0; i < statistics.ranks().size(); ++i) {
    const std::vector<CallUse> mine =
        statistics.calls(Rank(static_cast<std::int32_t>(statistics.first_rank() + i)));
    CallUse sum;
    for (const CallUse& use : mine) sum.add(use);
    std::vector<std::string> line{fmt::format("{}", sum.late_sender.ps()),
                                  fmt::format("{}", sum.late_receiver.ps()),
                                  fmt::format("{}", sum.collective_wait.ps())};
    for (const CallUse& kind : all) {
      const auto found = std::ranges::find(mine, kind.call, &CallUse::call);
      const CallUse use = found == mine.end() ? CallUse() : *found;
      line.push_back(fmt::format("{}", use.count));
      line.push_back(fmt::format("{}", use.time.ps()));
      line.push_back(fmt::format("{}", use.bytes.count()));
    }
    columns.lines.push_back(std::move(line));
  }
  return columns;
}

}  // namespace morgana
