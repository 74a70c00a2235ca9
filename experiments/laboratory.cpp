#include "experiments/laboratory.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"

namespace morgana {

std::string to_text(const Condition& condition) {
  std::string text = condition.workload;
  if (!condition.platform.empty()) text += " on " + condition.platform;
  for (const std::string& override : condition.overrides) text += ", " + override;
  return text + (condition.live ? ", live" : "");
}

void Laboratory::carry_out(const std::set<Condition>& conditions,
                           const std::function<void(const std::string&, double)>& told) {
  struct Place {
    const Condition* condition;
    std::size_t seed;  // from 0
  };
  std::vector<Job> jobs;
  std::vector<Place> places;
  for (const Condition& condition : conditions) {
    if (results_.contains(condition)) continue;
    std::function<RunOutcome(std::uint64_t)> run;
    if (const auto own = own_.find(condition.workload); own != own_.end()) {
      run = own->second;
    } else {
      run = [&workload = workloads_.at(condition.workload), &condition,
             platform = Platform::load(condition.platform, condition.overrides)](std::uint64_t seed) {
        return workload(condition, platform, seed);
      };
    }
    const std::size_t runs = condition.random ? seeds_ : 1;
    results_[condition].resize(runs);
    for (std::size_t seed = 0; seed < runs; ++seed) {
      places.push_back({&condition, seed});
      jobs.push_back({to_text(condition), [run, seed] { return run(seed + 1); }});
    }
  }
  std::size_t done = 0;
  runner_.run(
      jobs,
      [&](std::size_t job, const RunOutcome& outcome) {
        results_.at(*places[job].condition)[places[job].seed] = outcome;
        ++done;
      },
      [&](std::size_t job) {
        told(fmt::format("{} of {} runs, {}", done, jobs.size(), jobs[job].name),
             static_cast<double>(done) / static_cast<double>(jobs.size()));
      });
}

std::span<const RunOutcome> Laboratory::outcomes(const Condition& condition) const {
  return results_.at(condition);
}

std::vector<double> Laboratory::values(const Condition& condition, const std::string& figure) const {
  std::vector<double> values;
  for (const RunOutcome& outcome : outcomes(condition)) {
    if (!outcome.finished()) throw Error(fmt::format("{}: {}", to_text(condition), outcome.word));
    values.push_back(outcome.figures.at(figure));
  }
  return values;
}

double Laboratory::mean(const Condition& condition, const std::string& figure) const {
  return interval(condition, figure).mean;
}

ConfidenceInterval Laboratory::interval(const Condition& condition, const std::string& figure) const {
  RunningStatistics statistics;
  for (const double value : values(condition, figure)) statistics.add(value);
  return confidence_interval(statistics);
}

ConfidenceInterval Laboratory::quotient(const Condition& numerator, const Condition& denominator,
                                        const std::string& figure) const {
  const std::vector<double> above = values(numerator, figure), below = values(denominator, figure);
  RunningStatistics statistics;
  const std::size_t runs = std::max(above.size(), below.size());
  for (std::size_t i = 0; i < runs; ++i) statistics.add(above[i % above.size()] / below[i % below.size()]);
  return confidence_interval(statistics);
}

}  // namespace morgana
