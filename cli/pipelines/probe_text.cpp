#include <fmt/format.h>

#include <algorithm>

#include "cli/pipelines/pipeline_units.h"
#include "cli/pipelines/probe_report.h"
#include "emulator/core/quantity.h"
#include "emulator/report/table.h"

namespace morgana::cli {
namespace {

using namespace pipeline;

std::string time_cell(RealTime time) {
  return fmt::format("{:.3f}", us(time));
}
std::string cost_cell(RealCost cost) {
  return fmt::format("{:.4f}", us_per_kb(cost));
}
std::string share(double part) {
  return fmt::format("{:.1f} %", percent * part);
}

/// What was recovered beside what direct instrumentation says, and that stage by stage.
std::string parameters(const ProbedRange& range, const std::vector<PlatformProbe::Stage>& stages) {
  TextTable table({"", "sum g us", "sum G us/KB", "off by", "g_b us", "G_b us/KB", "off by"});
  const LinearFit &all = range.latency.line, &one = range.interval.line;
  table.add({"recovered", time_cell(all.overhead), cost_cell(all.cost), share(range.latency.worst),
             time_cell(one.overhead), cost_cell(one.cost), share(range.interval.worst)});
  if (stages.empty()) return table.text("  ");
  LinearFit sum;
  for (const PlatformProbe::Stage& stage : stages) {
    sum.overhead += stage.transit.line.overhead;
    sum.cost += stage.transit.line.cost;
  }
  const PlatformProbe::Stage& bottleneck = slowest(stages, middle(range));
  table.add({"known", time_cell(sum.overhead), cost_cell(sum.cost), "",
             time_cell(bottleneck.occupied.line.overhead), cost_cell(bottleneck.occupied.line.cost), ""});
  for (const PlatformProbe::Stage& stage : stages)
    table.add({(&stage == &bottleneck ? "* " : "  ") + stage.name, time_cell(stage.transit.line.overhead),
               cost_cell(stage.transit.line.cost), share(stage.transit.worst),
               time_cell(stage.occupied.line.overhead), cost_cell(stage.occupied.line.cost),
               share(stage.occupied.worst)});
  return table.text("  ");
}

std::string begins(const Boundary& boundary) {
  switch (boundary.kind) {
    case Boundary::Kind::bottleneck:
      return "another stage is the slowest from there on";
    case Boundary::Kind::step:
      return fmt::format("a step of {}", share(boundary.jump));
    case Boundary::Kind::bend:
      return "another slope from there on";
  }
  return "";
}

std::string theorem_text(const ProbedRange& range, Bytes message) {
  const RealBytes best = range.best_size(real(message));
  if (best >= real(message))
    return "  theorem: nothing is gained by fragments, next to nothing overlaps with the slowest stage\n";
  if (best < RealBytes(1))
    return "  theorem: fragments as small as can be, the slowest stage has no overhead\n";
  const bool within = best >= real(range.least) && best <= real(range.most);
  return fmt::format("  theorem: fragments of {:.0f} bytes for {}{}\n", best.value(), to_text(message),
                     within ? "" : ", which are not of this range: no candidate");
}

std::string message_text(const ProbeReport& report) {
  const ProbedMessage& message = report.message;
  const double predicted = message.whole_predicted / message.predicted - 1,
               measured = message.whole_measured / message.measured - 1;
  const bool costs = message.predicted > RealTime() && message.measured > RealTime();
  std::string text = fmt::format("{}: ", to_text(message.size));
  if (message.fragments == 1) {
    text += "best sent as a whole\n";
  } else {
    text += fmt::format("best sent as {} fragments of {:.0f} bytes\n", message.fragments,
                        real(message.size).value() / static_cast<double>(message.fragments));
  }
  TextTable table({"us", "predicted", "measured"});
  if (message.fragments > 1)
    table.add({"in fragments", time_cell(message.predicted), time_cell(message.measured)});
  table.add({"as a whole", time_cell(message.whole_predicted), time_cell(message.whole_measured)});
  if (message.fragments > 1 && costs) table.add({"gain", share(predicted), share(measured)});
  text += table.text("  ");
  double worst = 0;
  for (const ProbedRange& range : report.result.ranges)
    worst = std::max({worst, range.latency.worst, range.interval.worst});
  if (message.fragments > 1 && costs && predicted < worst)
    text += fmt::format("  a gain of less than {}, by which the lines are off, is none\n", share(worst));
  return text;
}

}  // namespace

std::string probe_text(const ProbeReport& report) {
  std::string text =
      fmt::format("--- {} | {} to {}, alone and in bursts of {}\n", report.platform,
                  to_text(report.settings.least), to_text(report.settings.most), report.settings.burst);
  for (std::size_t i = 0; i < report.result.ranges.size(); ++i) {
    const ProbedRange& range = report.result.ranges[i];
    text += fmt::format("{} to {} bytes{}\n", range.least.count(), range.most.count(),
                        i == 0 ? "" : ": " + begins(report.result.boundaries[i - 1]));
    text += parameters(range, report.stages[i]);
    text += theorem_text(range, report.message.size);
  }
  text += '\n' + message_text(report) + '\n';
  for (const std::string& one : report.notes) text += one + '\n';
  if (report.objections.empty())
    return text + fmt::format("A pipeline of stages explains it to {}.\n", share(report.settings.bound));
  text += "A pipeline of stages is no good model here:\n";
  for (const std::string& one : report.objections) text += "- " + one + '\n';
  return text;
}

std::string probe_csv(const ProbeReport& report) {
  TextTable table({"bytes", "latency_us", "latency_line_us", "interval_us", "interval_line_us",
                   "shortest_interval_us", "longest_interval_us"});
  const auto cell = [](RealTime time) { return fmt::format("{:.6f}", us(time)); };
  for (const ProbedRange& range : report.result.ranges)
    for (const ProbeSample& one : range.samples)
      table.add({fmt::format("{}", one.size.count()), cell(one.latency),
                 cell(range.latency.line.time_for(real(one.size))), cell(one.interval),
                 cell(range.interval.line.time_for(real(one.size))), cell(one.shortest), cell(one.longest)});
  return table.csv();
}

}  // namespace morgana::cli
