#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/pipelines/pipeline_units.h"
#include "cli/pipelines/probe_report.h"
#include "emulator/report/json_text.h"

namespace morgana::cli {
namespace {

using namespace pipeline;
using Json = nlohmann::ordered_json;

Json line_json(const ProbedLine& line) {
  return {{"overhead_us", us(line.line.overhead)},
          {"us_per_kb", us_per_kb(line.line.cost)},
          {"worst_residual", line.worst}};
}

const char* to_text(Boundary::Kind kind) {
  switch (kind) {
    case Boundary::Kind::bottleneck:
      return "bottleneck";
    case Boundary::Kind::step:
      return "step";
    case Boundary::Kind::bend:
      return "bend";
  }
  return "";
}

Json range_json(const ProbedRange& range, const std::vector<PlatformProbe::Stage>& stages, Bytes message) {
  Json one{{"least_bytes", range.least.count()},
           {"most_bytes", range.most.count()},
           {"latency", line_json(range.latency)},
           {"interval", line_json(range.interval)}};
  const double best = range.best_size(real(message)).value();
  one["theorem_bytes"] = std::isfinite(best) ? Json(best) : Json(nullptr);
  one["stages"] = Json::array();
  for (const PlatformProbe::Stage& stage : stages)
    one["stages"].push_back({{"name", stage.name},
                             {"transit", line_json(stage.transit)},
                             {"occupied", line_json(stage.occupied)},
                             {"bottleneck", &stage == &slowest(stages, middle(range))}});
  one["samples"] = Json::array();
  for (const ProbeSample& sample : range.samples)
    one["samples"].push_back({{"bytes", sample.size.count()},
                              {"latency_us", us(sample.latency)},
                              {"interval_us", us(sample.interval)},
                              {"shortest_interval_us", us(sample.shortest)},
                              {"longest_interval_us", us(sample.longest)}});
  return one;
}

}  // namespace

std::string probe_json(const ProbeReport& report) {
  Json all{{"platform", report.platform},     {"bound", report.settings.bound},
           {"burst", report.settings.burst},  {"is_pipeline", report.objections.empty()},
           {"objections", report.objections}, {"notes", report.notes}};
  all["ranges"] = Json::array();
  for (std::size_t i = 0; i < report.result.ranges.size(); ++i)
    all["ranges"].push_back(range_json(report.result.ranges[i], report.stages[i], report.message.size));
  all["transitions"] = Json::array();
  for (const Boundary& one : report.result.boundaries)
    all["transitions"].push_back(
        {{"bytes", one.size.count()}, {"kind", to_text(one.kind)}, {"jump", one.jump}});
  const ProbedMessage& message = report.message;
  all["message"] = {{"bytes", message.size.count()},
                    {"fragments", message.fragments},
                    {"predicted_us", us(message.predicted)},
                    {"measured_us", us(message.measured)},
                    {"unfragmented_predicted_us", us(message.whole_predicted)},
                    {"unfragmented_measured_us", us(message.whole_measured)}};
  return json_text(all);
}

}  // namespace morgana::cli
