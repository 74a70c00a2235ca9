#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/common/command.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "emulator/report/json_text.h"
#include "emulator/report/output_file.h"
#include "emulator/report/readable.h"
#include "emulator/report/table.h"
#include "traces/otf2/trace_statistics.h"

namespace morgana::cli {
namespace {

/// More ranks than this make a matrix that no terminal shows: pairs are then listed, the busiest first.
constexpr std::size_t matrix_limit = 16;
constexpr std::size_t listed_pairs = 32;

struct StatsArguments {
  std::string trace, json;
  bool quiet = false;
};

std::string number(std::uint64_t count) {
  return fmt::format("{}", count);
}

std::string rate(double bits_per_second) {
  if (bits_per_second >= 1e9) return fmt::format("{:.3f} Gb/s", bits_per_second * 1e-9);
  if (bits_per_second >= 1e6) return fmt::format("{:.3f} Mb/s", bits_per_second * 1e-6);
  return fmt::format("{:.3f} kb/s", bits_per_second * 1e-3);
}

std::string totals(const TraceStatistics& statistics) {
  const auto bytes = [](double count) { return readable(Bytes(static_cast<std::int64_t>(count))); };
  TextTable table({"duration", readable(statistics.duration)});
  table.add({"messages", number(statistics.messages())});
  table.add({"mean length", bytes(statistics.lengths.summary().mean())});
  table.add({"median length", bytes(statistics.lengths.median())});
  table.add({"bytes of messages", readable(statistics.bytes)});
  std::int64_t of_collectives = 0;
  for (const auto& [name, one] : statistics.collectives) of_collectives += one.payload.given.count();
  if (of_collectives > 0) table.add({"bytes given to collectives", readable(Bytes(of_collectives))});
  table.add({"density of messages", fmt::format("{:.1f} a second", statistics.density())});
  table.add({"throughput of messages", rate(statistics.throughput())});
  table.add({"communication", readable_share(statistics.communication_share())});
  return table.text();
}

std::string by_rank(const TraceStatistics& statistics) {
  TextTable table(
      {"rank", "time", "communication", "share", "sent", "bytes", "received", "bytes", "collectives"});
  for (std::size_t i = statistics.services; i < statistics.ranks.size(); ++i) {
    const TraceStatistics::PerRank& rank = statistics.ranks[i];
    table.add({number(i), readable(rank.end - rank.begin), readable(rank.communication),
               readable_share(rank.communication_share()), number(rank.messages_sent),
               readable(rank.bytes_sent), number(rank.messages_received), readable(rank.bytes_received),
               number(rank.collectives)});
  }
  return table.text("  ");
}

std::string by_collective(const TraceStatistics& statistics) {
  TextTable table({"call", "calls", "sent", "received"});
  for (const auto& [name, collective] : statistics.collectives) {
    table.add({name, number(collective.calls), readable(collective.payload.given),
               readable(collective.payload.received)});
  }
  return table.text("  ");
}

/// The calls in order, those that took longest first.
std::vector<std::pair<std::string, TraceStatistics::Call>> by_time(const TraceStatistics::Calls& calls) {
  std::vector<std::pair<std::string, TraceStatistics::Call>> sorted(calls.begin(), calls.end());
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  return sorted;
}

std::string by_call(const TraceStatistics& statistics) {
  const auto calls = by_time(statistics.all_calls());
  SimTime communication;
  for (const auto& [name, call] : calls) communication += call.time;
  TextTable table({"call", "calls", "time", "share", "bytes"});
  for (const auto& [name, call] : calls) {
    const double share = communication > SimTime() ? call.time.seconds() / communication.seconds() : 0.0;
    table.add({name, number(call.count), readable(call.time), readable_share(share), readable(call.bytes)});
  }
  return table.text("  ");
}

nlohmann::ordered_json calls_json(const TraceStatistics::Calls& calls) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [name, call] : by_time(calls))
    list.push_back(
        {{"call", name}, {"count", call.count}, {"time_ps", call.time.ps()}, {"bytes", call.bytes.count()}});
  return list;
}

/// Messages from each rank (line) to each (column).
std::string matrix(const TraceStatistics& statistics) {
  const std::size_t first = statistics.services, ranks = statistics.program_ranks().size();
  std::vector<std::vector<std::string>> cells(ranks, std::vector<std::string>(ranks, "."));
  for (const TraceStatistics::Pair& pair : statistics.pairs) {
    cells.at(index(pair.from) - first).at(index(pair.to) - first) = number(pair.messages);
  }
  std::vector<std::string> heading{"from"};
  for (std::size_t to = 0; to < ranks; ++to) heading.push_back("to " + number(first + to));
  TextTable table(heading);
  for (std::size_t from = 0; from < ranks; ++from) {
    std::vector<std::string> row{number(first + from)};
    row.insert(row.end(), cells[from].begin(), cells[from].end());
    table.add(std::move(row));
  }
  return table.text("  ");
}

std::string busiest_pairs(const TraceStatistics& statistics) {
  std::vector<TraceStatistics::Pair> pairs = statistics.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  TextTable table({"from", "to", "messages", "bytes"});
  for (std::size_t i = 0; i < std::min(pairs.size(), listed_pairs); ++i) {
    table.add({number(index(pairs[i].from)), number(index(pairs[i].to)), number(pairs[i].messages),
               readable(pairs[i].bytes)});
  }
  std::string text = table.text("  ");
  if (pairs.size() > listed_pairs) {
    text += fmt::format("  and {} pairs more; --json has them all\n", pairs.size() - listed_pairs);
  }
  return text;
}

std::string as_text(const TraceStatistics& statistics, const std::string& trace) {
  std::string text =
      fmt::format("--- {} | {} ranks | {} | {}\n", trace, statistics.program_ranks().size(),
                  statistics.platform.empty() ? "unknown platform" : statistics.platform, statistics.program);
  text += totals(statistics) + by_rank(statistics);
  if (!statistics.all_calls().empty())
    text += "calls, all ranks together; share: of the communication\n" + by_call(statistics);
  if (!statistics.collectives.empty()) text += "collectives, all ranks\n" + by_collective(statistics);
  if (!statistics.pairs.empty()) {
    text += statistics.program_ranks().size() <= matrix_limit
                ? "messages from rank to rank\n" + matrix(statistics)
                : "the pairs that exchange most\n" + busiest_pairs(statistics);
  }
  return text;
}

std::string as_json(const TraceStatistics& statistics) {
  nlohmann::ordered_json report{{"program", statistics.program},
                                {"platform", statistics.platform},
                                {"duration_ps", statistics.duration.ps()},
                                {"messages", statistics.messages()},
                                {"bytes", statistics.bytes.count()},
                                {"mean_length", statistics.lengths.summary().mean()},
                                {"median_length", statistics.lengths.median()},
                                {"messages_per_second", statistics.density()},
                                {"bits_per_second", statistics.throughput()},
                                {"communication_share", statistics.communication_share()},
                                {"unmatched_sends", statistics.unmatched_sends},
                                {"unmatched_receives", statistics.unmatched_receives}};
  report["calls"] = calls_json(statistics.all_calls());
  report["per_rank"] = nlohmann::ordered_json::array();
  std::size_t number = statistics.services;
  for (const TraceStatistics::PerRank& rank : statistics.program_ranks()) {
    report["per_rank"].push_back({{"rank", number++},
                                  {"begin_ps", rank.begin.ps()},
                                  {"end_ps", rank.end.ps()},
                                  {"communication_ps", rank.communication.ps()},
                                  {"messages_sent", rank.messages_sent},
                                  {"bytes_sent", rank.bytes_sent.count()},
                                  {"messages_received", rank.messages_received},
                                  {"bytes_received", rank.bytes_received.count()},
                                  {"collectives", rank.collectives},
                                  {"calls", calls_json(statistics.calls[number - 1])}});
  }
  report["pairs"] = nlohmann::ordered_json::array();
  for (const TraceStatistics::Pair& pair : statistics.pairs) {
    report["pairs"].push_back({{"from", index(pair.from)},
                               {"to", index(pair.to)},
                               {"messages", pair.messages},
                               {"bytes", pair.bytes.count()}});
  }
  report["collectives"] = nlohmann::ordered_json::object();
  for (const auto& [name, collective] : statistics.collectives) {
    report["collectives"][name] = {{"calls", collective.calls},
                                   {"bytes_sent", collective.payload.given.count()},
                                   {"bytes_received", collective.payload.received.count()}};
  }
  return json_text(report);
}

int stats(const StatsArguments& options) {
  claim_results({{"--json", options.json}});
  TraceStatistics statistics;
  {
    ProgressBar bar(options.quiet);
    statistics = read_trace_statistics(options.trace, [&](double share) { bar.show("reading", share); });
  }
  if (!options.quiet) {
    print_notices(statistics.notices);
    fmt::print("{}", as_text(statistics, options.trace));
  }
  if (!options.json.empty()) write_output(options.json, as_json(statistics));
  return 0;
}

}  // namespace

void add_stats(Commands& commands) {
  auto options = std::make_shared<StatsArguments>();
  Command& command = commands.add("stats", "Show statistics of a trace's messages");
  command.add("trace", &options->trace, "An OTF2 trace: its folder or its .otf2 file")
      ->type_name("TRACE")
      ->must_be_given();
  command
      .add("--json", &options->json, "Write everything as JSON (times in picoseconds); - is standard output")
      ->type_name("FILE");
  command.add("-q,--quiet", &options->quiet, "No text, no progress bar, no notes");
  command.footer = R"(
Density is messages, throughput bits of messages, per second of the whole run.

Example:
  morgana stats cg.otf2 --json cg.json)";
  command.action = [options] { return stats(*options); };
}

}  // namespace morgana::cli
