#include <nlohmann/json.hpp>

#include "cli/pipelines/fragment_report.h"
#include "cli/pipelines/pipeline_units.h"
#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/transitions.h"
#include "emulator/report/json_text.h"

namespace morgana::cli {
namespace {

using namespace pipeline;

nlohmann::ordered_json stage_json(const Stage& stage, const std::vector<Transfer>& transfers) {
  nlohmann::ordered_json one{
      {"name", stage.name}, {"overhead_us", us(stage.overhead)}, {"us_per_kb", us_per_kb(stage.cost)}};
  nlohmann::ordered_json& list = one["pieces"] = nlohmann::ordered_json::array();
  for (const Transfer& transfer : transfers)
    list.push_back(
        {{"bytes", transfer.size.count()}, {"begin_ps", transfer.begin.ps()}, {"end_ps", transfer.end.ps()}});
  return one;
}

}  // namespace

std::string fragment_json(const FragmentTask& task, const FragmentPlan& plan, const Schedule& schedule) {
  const Schedule::Parts parts = schedule.parts();
  nlohmann::ordered_json report{{"policy", task.policy}, {"bytes", task.message.count()}};
  report["fragments"] = nlohmann::ordered_json::array();
  for (const Bytes size : plan.pieces[parts.bottleneck]) report["fragments"].push_back(size.count());
  report["latency_ps"] = schedule.latency().ps();
  report["latency_by_theory_us"] = us(plan.by_theory);
  report["unfragmented_us"] = us(latency_of_equal(task.stages, real(task.message), 1));
  report["lower_bound_us"] = us(lower_bound(task.stages, real(task.message)));
  report["bottleneck"] = task.stages[parts.bottleneck].name;
  report["first_ps"] = parts.first.ps();
  report["inside_ps"] = parts.inside.ps();
  report["last_ps"] = parts.last.ps();
  report["transitions"] = nlohmann::ordered_json::array();
  for (const Transition& one : transitions(task.stages, Bytes(1), task.message))
    report["transitions"].push_back({{"bytes", one.size.count()},
                                     {"from", task.stages[one.from].name},
                                     {"to", task.stages[one.to].name}});
  report["curve"] = nlohmann::ordered_json::array();
  for (const CountLatency& one : plan.curve)
    report["curve"].push_back({{"fragments", one.fragments}, {"latency_us", us(one.latency)}});
  report["stages"] = nlohmann::ordered_json::array();
  for (std::size_t j = 0; j < task.stages.size(); ++j)
    report["stages"].push_back(stage_json(task.stages[j], schedule.transfers()[j]));
  if (!plan.note.empty()) report["note"] = plan.note;
  return json_text(report);
}

}  // namespace morgana::cli
