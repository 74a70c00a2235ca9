#include <fmt/format.h>

#include <algorithm>

#include "experiments/atmtransport/rows.h"

namespace morgana::atm_transport_paper {

bool all_finished(const Laboratory& laboratory, const Condition& condition) {
  const auto outcomes = laboratory.outcomes(condition);
  return std::all_of(outcomes.begin(), outcomes.end(), [](const RunOutcome& run) { return run.finished(); });
}

std::string told(const Laboratory& laboratory, const Condition& condition) {
  const auto outcomes = laboratory.outcomes(condition);
  const auto unstable =
      std::count_if(outcomes.begin(), outcomes.end(), [](const RunOutcome& run) { return !run.finished(); });
  if (unstable > 0)
    return fmt::format("unstable in {} of {} runs (transport.tries)", unstable, outcomes.size());
  return fmt::format("{:.4g} s", laboratory.mean(condition, "latency_s"));
}

double latency(const Laboratory& laboratory, const Condition& condition) {
  return laboratory.mean(condition, "latency_s");
}
double loss(const Laboratory& laboratory, const Condition& condition) {
  return laboratory.mean(condition, "loss");
}

std::string waiting(const Laboratory& laboratory, const Condition& condition) {
  RunningStatistics share;
  for (const RunOutcome& run : laboratory.outcomes(condition))
    if (run.finished()) share.add(run.figures.at("late"));
  return share.count() == 0 ? "none finishes" : fmt::format("{:.3g} % wait for a POLL", 100 * share.mean());
}

Row shape(const std::string& id, const std::string& title, const std::string& paper, const std::string& rule,
          const std::vector<Condition>& needs) {
  Row row{id, title, paper, "", RowKind::shape, as_worded(rule)};
  row.needs = needs;
  return row;
}

}  // namespace morgana::atm_transport_paper
