#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/pipelines/fragment_report.h"
#include "cli/pipelines/pipeline_units.h"
#include "emulator/core/quantity.h"
#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/transitions.h"
#include "emulator/report/table.h"

namespace morgana::cli {
namespace {

using namespace pipeline;

std::string latency_text(RealTime time) {
  return fmt::format("{:.2f}", us(time));
}
std::string latency_text(SimTime time) {
  return latency_text(real(time));
}

std::string stages_text(const FragmentTask& task, const Pieces& pieces) {
  TextTable table({"stage", "us", "us/KB", "pieces"});
  for (std::size_t j = 0; j < task.stages.size(); ++j) {
    const Stage& stage = task.stages[j];
    table.add({stage.name, fmt::format("{:g}", us(stage.overhead)),
               fmt::format("{:.6g}", us_per_kb(stage.cost)), fmt::format("{}", pieces[j].size())});
  }
  return table.text();
}

std::string bottleneck_text(const FragmentTask& task) {
  const std::size_t first = bottleneck(task.stages, RealBytes(1));
  std::string text = "slowest stage: " + task.stages[first].name;
  for (const Transition& one : transitions(task.stages, Bytes(1), task.message))
    text += fmt::format(", from {} bytes on {}", one.size.count(), task.stages[one.to].name);
  return text + '\n';
}

/// "3 of 820, 2 of 819": runs of the same size in order, no more than fit into a line or two.
std::string sizes_text(const std::vector<Bytes>& sizes) {
  constexpr std::size_t most_runs = 16;
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < sizes.size();) {
    if (++runs > most_runs) return text + fmt::format(" ... ({} in all)", sizes.size());
    std::size_t end = i + 1;
    while (end < sizes.size() && sizes[end] == sizes[i]) ++end;
    text += i == 0 ? "" : " ";
    text +=
        end == i + 1 ? fmt::format("{}", sizes[i].count()) : fmt::format("{}x{}", end - i, sizes[i].count());
    i = end;
  }
  return text;
}

/// What is told of a long curve: its beginning, powers of two, and what lies around the best.
bool is_told(std::size_t fragments, std::size_t best, std::size_t last) {
  constexpr std::size_t beginning = 8;
  return fragments <= beginning || fragments == last || std::has_single_bit(fragments) ||
         (fragments + 2 >= best && fragments <= best + 2);
}

std::string curve_text(const FragmentTask& task, const FragmentPlan& plan) {
  const auto best = std::min_element(plan.curve.begin(), plan.curve.end(),
                                     [](const auto& a, const auto& b) { return a.latency < b.latency; });
  TextTable table({"fragments", "mean size", "latency us", ""});
  for (const CountLatency& one : plan.curve) {
    if (!is_told(one.fragments, best->fragments, plan.curve.back().fragments)) continue;
    table.add({fmt::format("{}", one.fragments),
               fmt::format("{:.1f}", real(task.message).value() / static_cast<double>(one.fragments)),
               latency_text(one.latency), one.fragments == best->fragments ? "least" : ""});
  }
  return table.text();
}

}  // namespace

std::string policy_text(const FragmentTask& task, const Schedule& schedule) {
  const std::size_t count = schedule.transfers()[schedule.parts().bottleneck].size();
  return fmt::format("{}{}, {} fragment{}", task.policy, task.fragment_size ? " bytes" : "", count,
                     count == 1 ? "" : "s");
}

std::string fragment_text(const FragmentTask& task, const FragmentPlan& plan, const Schedule& schedule) {
  const Schedule::Parts parts = schedule.parts();
  const RealTime whole = latency_of_equal(task.stages, real(task.message), 1),
                 least = lower_bound(task.stages, real(task.message));
  const double ratio = schedule.latency() > SimTime() ? whole / real(schedule.latency()) : 1;
  std::string text = stages_text(task, plan.pieces) + bottleneck_text(task) + '\n';
  text += fmt::format("{}: {}\n", to_text(task.message), policy_text(task, schedule));
  text += fmt::format("sizes          {}\n", sizes_text(plan.pieces[parts.bottleneck]));
  text += fmt::format(
      "latency        {} us: {} until the first reaches {}, {} until the last leaves it, then {}\n",
      latency_text(schedule.latency()), latency_text(parts.first), task.stages[parts.bottleneck].name,
      latency_text(parts.inside), latency_text(parts.last));
  text += fmt::format("by theory      {} us, sizes being real numbers\n", latency_text(plan.by_theory));
  text += fmt::format("unfragmented   {} us: {:.1f} % more; the latency is {:.1f} % less\n",
                      latency_text(whole), percent * (ratio - 1), percent * (1 - 1 / ratio));
  text += fmt::format("lower bound    {} us\n", latency_text(least));
  if (!plan.note.empty()) text += plan.note + '\n';
  return text + '\n' + curve_text(task, plan);
}

std::string fragment_csv(const FragmentTask& task, const FragmentPlan& plan) {
  TextTable table({"fragments", "mean_bytes", "latency_us"});
  for (const CountLatency& one : plan.curve)
    table.add({fmt::format("{}", one.fragments),
               fmt::format("{}", real(task.message).value() / static_cast<double>(one.fragments)),
               fmt::format("{:.6f}", us(one.latency))});
  return table.csv();
}

}  // namespace morgana::cli
