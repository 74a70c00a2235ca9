#include "cli/collective_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/readable.h"
#include "emulator/report/size_text.h"

namespace morgana::cli {
namespace {

using Row = CollectiveReport::Row;

/// Rows of one size, from `at` on.
std::size_t end_of_size(const CollectiveReport& report, std::size_t at) {
  std::size_t end = at;
  while (end < report.rows.size() && report.rows[end].bytes == report.rows[at].bytes) ++end;
  return end;
}

/// The fastest row of each size, by size. Of rows that take the same the first one, but not auto, whose
/// algorithm another row names.
std::vector<const Row*> fastest_rows(const CollectiveReport& report) {
  std::vector<const Row*> fastest;
  for (std::size_t at = 0; at < report.rows.size(); at = end_of_size(report, at)) {
    const Row* best = &report.rows[at];
    for (std::size_t i = at + 1; i < end_of_size(report, at); ++i) {
      const Row& row = report.rows[i];
      const bool same = row.measured.time == best->measured.time;
      if (row.measured.time < best->measured.time || (same && best->algorithm == "auto")) best = &row;
    }
    fastest.push_back(best);
  }
  return fastest;
}

std::string speed_of(const Row& row) {
  constexpr double giga = 1e9;
  return fmt::format("{} takes {} ({:.4g} GB/s busbw)", size_text(row.bytes), readable(row.measured.time),
                     row.measured.bus_bandwidth / giga);
}

/// "Of those compared ring is the fastest up to 1 MiB, tree from 2 MiB on. 8 GiB takes ..."
std::string answer_of(const CollectiveReport& report) {
  const std::vector<const Row*> fastest = fastest_rows(report);
  const Row& largest = *fastest.back();
  if (fastest.size() == report.rows.size())
    return fmt::format("{}, by {}.", speed_of(largest), largest.measured.carried_out_by);
  std::string text = "Of those compared";
  for (std::size_t at = 0; at < fastest.size();) {
    std::size_t end = at;
    while (end < fastest.size() && fastest[end]->algorithm == fastest[at]->algorithm) ++end;
    const std::string from = size_text(fastest[at]->bytes), to = size_text(fastest[end - 1]->bytes);
    text += at == 0 ? " " : ", ";
    text += fastest[at]->algorithm;
    if (at == 0) text += " is the fastest";
    if (end == fastest.size())
      text += fastest.size() == 1 ? "" : at == 0 ? " at every size" : " from " + from + " on";
    else
      text += at == 0 ? " up to " + to : (end == at + 1 ? " at " + from : " from " + from + " to " + to);
    at = end;
  }
  return fmt::format("{}. {}, by {}.", text, speed_of(largest), largest.measured.carried_out_by);
}

/// Which links were busiest is known only where one was busy for long.
ChartTable limits_of(const CollectiveReport& report) {
  ChartTable table{{"algorithm", "carried out by", "limit"}, {}, {}, {1, 2}};
  const Bytes largest = report.rows.back().bytes;
  bool named = false;
  for (const Row& row : report.rows)
    if (row.bytes == largest && !row.measured.limit.empty()) {
      table.rows.push_back({row.algorithm, row.measured.carried_out_by, row.measured.limit});
      named |= !row.measured.busiest.empty();
    }
  if (!named) return table;
  table.heading.emplace_back("busiest links");
  table.wide.push_back(3);
  std::size_t at = 0;
  for (const Row& row : report.rows)
    if (row.bytes == largest && !row.measured.limit.empty()) table.rows[at++].push_back(row.measured.busiest);
  return table;
}

/// Rows by auto for which another one is faster stand out.
ChartTable rows_of(const CollectiveReport& report) {
  ChartTable table = chart_table(collective_table(report));
  table.tones.resize(report.rows.size());
  for (const CollectiveReport::Slower& one : report.slower_choices()) table.tones[one.row] = "bad";
  return table;
}

}  // namespace

ChartPage collective_page(const CollectiveReport& report) {
  ChartPage page;
  page.title = fmt::format("{} of {} ranks on {} by {}", name_of(report.collective), report.ranks,
                           report.platform, report.library);
  page.answer = answer_of(report);
  if (!report.placement.empty()) page.facts.push_back(report.placement);
  page.facts.emplace_back(
      "all ranks enter at the same time; the time ends when the last one leaves; busbw as in nccl-tests");
  page.notices = report.notices;
  for (const CollectiveReport::Slower& one : report.slower_choices()) {
    const Row &chosen = report.rows[one.row], &best = report.rows[one.faster];
    page.notices.push_back(
        fmt::format("auto is not the fastest of {}: it takes {}, which needs {}; {} needs {}",
                    size_text(chosen.bytes), chosen.measured.carried_out_by, readable(chosen.measured.time),
                    best.measured.carried_out_by, readable(best.measured.time)));
  }
  page.sections.push_back(
      {"By size", "", {{"busbw", bandwidth_curves(report)}, {"time", time_curves(report)}}});
  ChartTable limits = limits_of(report);
  if (!limits.rows.empty())
    page.sections.push_back({"What limits " + size_text(report.rows.back().bytes),
                             "Of the largest size, by each algorithm.",
                             {{"limits", std::move(limits)}}});
  const bool coloured = !report.slower_choices().empty();
  page.sections.push_back({"All times",
                           coloured ? "Red: by auto, where another algorithm is faster." : "",
                           {{"times", rows_of(report)}}});
  return page;
}

}  // namespace morgana::cli
