#include "runs/tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/quantity.h"
#include "pvmshim/launch/process/interrupt.h"
#include "runs/sweep/sweep_report.h"

namespace morgana {
namespace {

constexpr const char *first_push = "messages.push", *second_push = "messages.second-push",
                     *local_push = "messages.local-push";

/// More than any message.
constexpr Bytes everything = Bytes(std::int64_t{1} << 40);

std::string set(const std::string& key, Bytes value) {
  return key + "=" + to_text(value);
}

bool sets(const std::string& override, const std::string& key) {
  const std::size_t end = override.find_first_of(" =");
  return override.substr(0, end) == key;
}

TuningStep step(const TunedWorkload& workload, const std::string& key, const std::vector<Bytes>& values,
                std::vector<std::string> overrides) {
  TuningStep result{key, std::move(overrides), {}, 0};
  result.points = workload(key, values, result.fixed);
  const auto better = [](const TuningPoint& a, const TuningPoint& b) {
    if (!a.time || !b.time) return a.time.has_value() && !b.time;
    return *a.time != *b.time ? *a.time < *b.time : a.pushed < b.pushed;
  };
  const auto best = std::min_element(result.points.begin(), result.points.end(), better);
  if (!best->time)
    throw Error(fmt::format("{}: no run finished, whatever the value: the first one's outcome is {}", key,
                            result.points.front().outcome));
  result.best = static_cast<std::size_t>(best - result.points.begin());
  return result;
}

}  // namespace

std::string TuningStep::setting() const {
  return set(key, best_push());
}

std::vector<std::string> Tuning::settings() const {
  std::vector<std::string> all = steps.back().fixed;
  all.push_back(steps.back().setting());
  return all;
}

Tuning tune(const TuningRequest& request, const TunedWorkload& workload) {
  const std::string limit = request.local ? "messages.local-eager-limit" : "messages.eager-limit";
  bool limited = false;
  for (const std::string& override : request.overrides) {
    limited = limited || sets(override, limit);
    for (const char* key : {first_push, second_push, local_push})
      if (sets(override, key) && (key == local_push) == request.local)
        throw Error(fmt::format("--set {}: that key is what is searched; leave it out", override));
  }
  std::vector<std::string> base = request.overrides;
  // Unless the user wants it otherwise, every message is pushed in part, however short.
  if (!limited) base.push_back(set(limit, Bytes()));
  const auto with = [](std::vector<std::string> all, const std::string& one) {
    all.push_back(one);
    return all;
  };
  Tuning tuning;
  if (request.local) {
    tuning.steps.push_back(step(workload, local_push, request.first, base));
  } else {
    tuning.steps.push_back(step(workload, second_push, request.second, with(base, set(first_push, Bytes()))));
    tuning.steps.push_back(
        step(workload, first_push, request.first, with(base, tuning.steps.front().setting())));
  }
  tuning.references.push_back({"as the platform is", workload("", {}, request.overrides).front()});
  if (!limited)
    tuning.references.push_back(
        {"everything pushed", workload("", {}, with(request.overrides, set(limit, everything))).front()});
  return tuning;
}

TunedWorkload tuned_ping_pong(const std::string& platform, PingPongPlaces places, std::vector<Bytes> sizes,
                              std::size_t rounds, std::uint64_t seed, const TuningTold& told) {
  return [=](const std::string& key, const std::vector<Bytes>& values,
             const std::vector<std::string>& overrides) {
    const auto point = [&](Bytes value, const std::vector<std::string>& settings) {
      const Platform there = Platform::load(platform, settings);
      SimTime sum;
      for (const Bytes size : sizes) {
        throw_if_interrupted();
        sum += ping_pong(there, places, size, rounds, seed);
      }
      return TuningPoint{value, SimTime::from_ps(sum.ps() / static_cast<std::int64_t>(sizes.size()))};
    };
    std::vector<TuningPoint> points;
    if (key.empty()) points.push_back(point(Bytes(), overrides));
    for (const Bytes value : values) {
      std::vector<std::string> settings = overrides;
      settings.push_back(set(key, value));
      told(settings.back(), static_cast<double>(points.size()) / static_cast<double>(values.size()));
      points.push_back(point(value, settings));
    }
    return points;
  };
}

TunedWorkload tuned_sweep(const SweepRequest& request, Runner runner, const TuningTold& told) {
  return [=](const std::string& key, const std::vector<Bytes>& values,
             const std::vector<std::string>& overrides) {
    SweepRequest one = request;
    one.overrides = overrides;
    if (!key.empty()) {
      Axis axis{key, {}};
      for (const Bytes value : values) axis.values.push_back(to_text(value));
      one.axes = {axis};
    }
    const Sweep sweep(one);
    const std::vector<CsvRow> rows = sweep.run(
        runner, [](const CsvRow&) { return nullptr; }, [](const CsvRow&) {}, told);
    std::vector<TuningPoint> points;
    for (const PointSummary& summary : summarize(sweep, rows)) {
      TuningPoint point{key.empty() ? Bytes() : values[points.size()], std::nullopt};
      if (summary.unfinished > 0)
        point.outcome = summary.reasons.front();
      else
        point.time = SimTime::from_ps(static_cast<std::int64_t>(summary.interval("total_ps").mean));
      points.push_back(point);
    }
    return points;
  };
}

}  // namespace morgana
