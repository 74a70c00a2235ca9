#include "cli/compare/compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/common/result_files.h"
#include "cli/common/run_page.h"
#include "emulator/report/limits/critical_path_report.h"
#include "emulator/report/link_report.h"
#include "emulator/report/readable.h"
#include "replay/comparison_answer.h"
#include "report/page_template.h"
#include "report/timeline_page.h"

namespace morgana::cli {
namespace {

std::string latency_text(double seconds) {
  return seconds > 0 ? readable_seconds(seconds) : "-";
}

ChartTable platforms_table(const Comparison& comparison) {
  ChartTable table{{"platform", "total", "computing", "in calls", "share of calls", "to the first",
                    "messages", "mean latency", "median", "99 of 100 below", "hosts"},
                   {}};
  for (const ComparedRun& run : comparison.runs) {
    table.rows.push_back(
        {run.platform, readable(run.total), readable(run.compute), readable(run.communication),
         readable_share(run.communication_share), "x " + readable_ratio(run.ratio),
         fmt::format("{}", run.messages), latency_text(run.mean_latency), latency_text(run.median_latency),
         latency_text(run.p99_latency), run.hosts ? fmt::format("{}", run.hosts->hosts) : "-"});
  }
  return table;
}

/// Where links are known of any platform; else without rows.
ChartTable links_table(const Comparison& comparison) {
  ChartTable table{{"platform", "busiest link", "limit"}, {}};
  table.wide = {1, 2};
  for (const ComparedRun& run : comparison.runs) {
    if (!run.busiest_link) continue;
    table.rows.push_back({run.platform,
                          fmt::format("{}, busy for {} of the run", run.busiest_link->link,
                                      readable_share(run.busiest_link->utilisation)),
                          run.limit.empty() ? "not known" : run.limit});
  }
  return table;
}

/// Of execution traces; else without categories.
StackedBars overlap_bars(const Comparison& comparison) {
  StackedBars bars;
  bars.parts = {"computing alone", "communication behind computing", "exposed communication", "idle"};
  for (const ComparedRun& run : comparison.runs) {
    if (!run.execution) continue;
    const ExecutionUse& use = *run.execution;
    bars.categories.push_back(run.platform);
    bars.seconds.push_back(
        {use.computing.seconds(), use.hidden.seconds(), use.exposed.seconds(), use.idle.seconds()});
    bars.notes.push_back("x " + readable_ratio(run.ratio));
  }
  return bars;
}

}  // namespace

ComparePage::ComparePage(std::string file, std::size_t platforms)
    : file_(std::move(file)), events_of_each_(events_of_comparison / std::max<std::size_t>(1, platforms)) {
  if (is_wanted()) check_can_make_pages();
}

nlohmann::json ComparePage::data_of(const std::filesystem::path& trace, const CriticalPath* path,
                                    const LinkHistory& history) const {
  return page_data(read_timeline(trace), events_of_each_, path, history);
}

void ComparePage::take(const ComparedRun& run, nlohmann::json data) {
  runs_.push_back({run.platform, std::move(data)});
  if (run.path) paths_.push_back({run.platform, *run.path});
}

ChartTable ComparePage::gains() const {
  ChartTable table{{"platform"}, {}};
  for (std::size_t kind = 0; kind < path_kinds; ++kind)
    if (static_cast<PathKind>(kind) != PathKind::waiting)
      table.heading.emplace_back(shown_name(static_cast<PathKind>(kind)));
  for (const Path& path : paths_) {
    table.rows.push_back({path.platform});
    for (std::size_t kind = 0; kind < path_kinds; ++kind)
      if (static_cast<PathKind>(kind) != PathKind::waiting)
        table.rows.back().push_back(readable_share(path.times.gain_of_half(static_cast<PathKind>(kind))) +
                                    " less");
  }
  return table;
}

ChartSection ComparePage::path_section() const {
  StackedBars bars;
  for (std::size_t kind = 0; kind < path_kinds; ++kind)
    bars.parts.emplace_back(shown_name(static_cast<PathKind>(kind)));
  for (const Path& path : paths_) {
    bars.categories.push_back(path.platform);
    std::vector<double> parts;
    for (const SimTime time : path.times) parts.push_back(time.seconds());
    bars.seconds.push_back(std::move(parts));
    bars.notes.push_back(
        path.times.total() > SimTime() && paths_.front().times.total() > SimTime()
            ? "x " + readable_ratio(path.times.total().seconds() / paths_.front().times.total().seconds())
            : "");
  }
  return {
      "Where the time goes",
      "The critical path of each run: the longest chain of causes through ranks and messages, whose pieces "
      "add up to the run's time.",
      {{"time by part", std::move(bars)}, {"twice as fast", gains()}}};
}

void ComparePage::write(const Comparison& comparison, const std::vector<std::string>& notices,
                        bool quiet) const {
  if (file_.empty()) return;
  ChartPage page;
  page.title = comparison.subject + " compared";
  page.answer = comparison_answer(comparison);
  page.facts = {fmt::format("{} platform{}, seed {}. Ratios are to the first.", comparison.runs.size(),
                            comparison.runs.size() == 1 ? "" : "s", comparison.seed)};
  for (const BottleneckLine& line : setting_lines(comparison))
    page.facts.push_back(fmt::format("{}: {}", line.label, line.text));
  page.notices = notices;
  if (!paths_.empty()) page.sections.push_back(path_section());
  if (StackedBars overlap = overlap_bars(comparison); !overlap.categories.empty())
    page.sections.push_back(
        {"Overlap",
         "Where the time of a rank goes, in the mean: exposed is the communication beside "
         "which none of its streams computes.",
         {{"time by part", std::move(overlap)}}});
  if (ChartTable links = links_table(comparison); !links.rows.empty())
    page.sections.push_back({"Which links limit", "", {{"links", std::move(links)}}});
  StackedBars bars = comparison_bars(comparison);
  bars.title.clear();
  page.sections.push_back({"Computing and calls",
                           "Each run's time, as its ranks spend it in the mean.",
                           {{"time by part", std::move(bars)}}});
  page.sections.push_back({"Platforms", "", {{"platforms", platforms_table(comparison)}}});
  page.runs = runs_;
  if (page.runs.size() < comparison.runs.size())
    page.notices.emplace_back("native, a real run, has neither a critical path nor a timeline here");
  write_page(file_, chart_page(page), quiet);
}

}  // namespace morgana::cli
