#include "runs/tuning_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "emulator/core/quantity.h"
#include "emulator/report/json_text.h"
#include "emulator/report/table.h"

namespace morgana {
namespace {

using Json = nlohmann::ordered_json;

double us(SimTime time) {
  constexpr double us_per_second = 1e6;
  return time.seconds() * us_per_second;
}

std::string time_text(const TuningPoint& point) {
  return point.time ? fmt::format("{:.3f}", us(*point.time)) : point.outcome;
}

/// "messages.second-push, messages.push=0 B": the curve's name.
std::string curve_name(const TuningStep& step) {
  return fmt::format("{}, {}", step.key, step.fixed.back());
}

/// A line a value, a column a step: "us *" is the best.
std::string curves_text(const Tuning& tuning) {
  std::vector<std::string> heading{"bytes"};
  std::map<Bytes, std::vector<std::string>> lines;
  for (std::size_t i = 0; i < tuning.steps.size(); ++i) {
    const TuningStep& step = tuning.steps[i];
    heading.push_back(curve_name(step));
    for (const TuningPoint& point : step.points) {
      std::vector<std::string>& line = lines[point.pushed];
      line.resize(tuning.steps.size());
      line[i] = time_text(point) + (&point == &step.points[step.best] ? " *" : "  ");
    }
  }
  TextTable table(heading);
  for (const auto& [value, cells] : lines) {
    std::vector<std::string> row{fmt::format("{}", value.count())};
    row.insert(row.end(), cells.begin(), cells.end());
    table.add(row);
  }
  return table.text();
}

bool makes_no_difference(const TuningStep& step) {
  return std::all_of(step.points.begin(), step.points.end(),
                     [&step](const TuningPoint& point) { return point.time == step.best_time(); });
}

std::string gain_text(SimTime tuned, SimTime reference) {
  constexpr double percent = 100;
  if (tuned == SimTime()) return "";
  const double gain = percent * (us(reference) / us(tuned) - 1);
  if (gain >= 0) return fmt::format(", {:.1f} % more", gain);
  return fmt::format(", {:.1f} % less", -gain);
}

/// Of the references that take less than what was found, the first one that takes least.
std::string advice_against(const Tuning& tuning, SimTime best) {
  const TuningReference* better = nullptr;
  for (const TuningReference& one : tuning.references)
    if (one.point.time && *one.point.time < (better == nullptr ? best : *better->point.time)) better = &one;
  if (better == nullptr) return "";
  return fmt::format("pushing a part does not pay here; better: {}\n", better->name);
}

Json point_json(const TuningPoint& point) {
  Json entry;
  entry["outcome"] = point.outcome;
  entry["time_ps"] = point.time ? Json(point.time->ps()) : Json(nullptr);
  return entry;
}

}  // namespace

std::string tuning_text(const TuningSubject& subject, const Tuning& tuning) {
  std::string text = fmt::format("--- {} | {}; times in us\n", subject.platform, subject.workload);
  text += curves_text(tuning);
  const SimTime best = tuning.steps.back().best_time();
  text += fmt::format("best: {:.3f} us with", us(best));
  for (const std::string& setting : tuning.settings()) {
    const std::size_t equals = setting.find('=');
    text += fmt::format(" --set {}=\"{}\"", setting.substr(0, equals), setting.substr(equals + 1));
  }
  text += '\n';
  for (const TuningReference& one : tuning.references)
    text += fmt::format("{}: {}{}\n", one.name, time_text(one.point) + (one.point.time ? " us" : ""),
                        one.point.time ? gain_text(best, *one.point.time) : "");
  text += advice_against(tuning, best);
  for (const TuningStep& step : tuning.steps) {
    if (step.points.size() == 1) continue;
    if (makes_no_difference(step))
      text += fmt::format(
          "{}: no value makes a difference, nothing that is sent here is pushed by it (what ranks of "
          "one host send each other is tuned by --local, and --map cyclic parts them)\n",
          step.key);
    else if (step.best + 1 == step.points.size())
      text += fmt::format("{}: the best value is the last one tried; more may be better still\n", step.key);
  }
  return text;
}

std::string tuning_csv(const Tuning& tuning) {
  TextTable table({"varied", "bytes", "outcome", "time_ps"});
  const auto add = [&table](const std::string& what, const std::string& bytes, const TuningPoint& point) {
    table.add({what, bytes, point.outcome, point.time ? fmt::format("{}", point.time->ps()) : ""});
  };
  for (const TuningStep& step : tuning.steps)
    for (const TuningPoint& point : step.points)
      add(step.key, fmt::format("{}", point.pushed.count()), point);
  for (const TuningReference& one : tuning.references) add(one.name, "", one.point);
  return table.csv();
}

std::string tuning_json(const TuningSubject& subject, const Tuning& tuning) {
  Json all{{"platform", subject.platform}, {"workload", subject.workload}, {"settings", tuning.settings()}};
  all["best_ps"] = tuning.steps.back().best_time().ps();
  all["steps"] = Json::array();
  for (const TuningStep& step : tuning.steps) {
    Json entry{{"key", step.key}, {"fixed", step.fixed}, {"best_bytes", step.best_push().count()}};
    entry["points"] = Json::array();
    for (const TuningPoint& point : step.points) {
      Json one = point_json(point);
      one["bytes"] = point.pushed.count();
      entry["points"].push_back(std::move(one));
    }
    all["steps"].push_back(std::move(entry));
  }
  all["references"] = Json::array();
  for (const TuningReference& one : tuning.references) {
    Json entry = point_json(one.point);
    entry["name"] = one.name;
    all["references"].push_back(std::move(entry));
  }
  return json_text(all);
}

Curves tuning_curves(const TuningSubject& subject, const Tuning& tuning) {
  Curves curves{
      subject.workload + " on " + subject.platform, "pushed (bytes)", "time (us)", false, false, {}, {}};
  for (const TuningStep& step : tuning.steps) {
    Curve curve{curve_name(step), {}};
    for (const TuningPoint& point : step.points)
      if (point.time) curve.points.push_back({static_cast<double>(point.pushed.count()), us(*point.time)});
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace morgana
