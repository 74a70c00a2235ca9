#include "cli/common/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/common/result_files.h"
#include "emulator/messaging/rank_traffic.h"
#include "report/full_link.h"
#include "report/page_template.h"
#include "report/timeline_page.h"
#include "traces/export/timeline.h"

namespace morgana::cli {

CarriedMessages carried_by(const RankTraffic& traffic, std::size_t first) {
  CarriedMessages carried;
  for (const RankTraffic::Pair& pair : traffic.pairs())
    if (std::min(index(pair.from), index(pair.to)) >= first)
      carried.pairs.push_back({index(pair.from) - first, index(pair.to) - first,
                               static_cast<double>(pair.traffic.bytes.count())});
  carried.sizes.assign(traffic.sizes().begin(), traffic.sizes().end());
  return carried;
}

std::vector<BottleneckLine> deadlock_lines(const Deadlock& deadlock, std::size_t most) {
  std::vector<BottleneckLine> lines;
  std::istringstream text(deadlock.what());
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) continue;
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("  ") || colon == std::string::npos)
      lines.push_back({line.starts_with("deadlock") ? "deadlock" : "", line});
    else
      lines.push_back({line.substr(2, colon - 2), line.substr(colon + 2)});
  }
  if (lines.size() > most) {
    const std::size_t others = lines.size() - most;
    lines.resize(most);
    lines.push_back({"", fmt::format("and {} more lines, which stand on standard error", others)});
  }
  return lines;
}

std::vector<CycleMember> cycle_of(const Deadlock& deadlock) {
  std::vector<CycleMember> members;
  for (const Deadlock::Waiting& one : deadlock.cycle()) members.push_back({index(one.rank), one.call});
  return members;
}

RunPage::RunPage(const OutputOptions& options) : options_(options), trace_(options.trace) {
  if (options.page.empty()) return;
  check_can_make_pages();
  if (trace_.empty()) trace_ = folder_.emplace().path() / "run.otf2";
}

void RunPage::write(const CriticalPath* path, const LinkHistory& links,
                    const std::vector<BottleneckLine>& bottleneck, std::span<const CycleMember> cycle,
                    std::span<const Rank> ended, const ExecutionTimeline* execution,
                    const RankTraffic* traffic) const {
  if (options_.page.empty()) return;
  Timeline timeline = read_timeline(trace_);
  std::erase_if(timeline.unfinished, [&](std::size_t call) {
    return std::ranges::find(ended, timeline.calls[call].rank) != ended.end();
  });
  wait_until_end(timeline);
  std::vector<BottleneckLine> lines = bottleneck;
  const std::string full = full_link_text(timeline, links);
  for (BottleneckLine& line : lines)
    if (line.label == "limit" && !full.empty()) line.text += "; " + full;
  std::optional<CarriedMessages> carried;
  if (traffic != nullptr) carried = carried_by(*traffic, timeline.services);
  if (carried && carried->pairs.empty()) carried.reset();  // nothing is counted where executions are replayed
  write_page(options_.page,
             timeline_page(timeline, events_of_page, path, links, lines, cycle, execution,
                           carried ? &*carried : nullptr),
             options_.quiet);
}

}  // namespace morgana::cli
