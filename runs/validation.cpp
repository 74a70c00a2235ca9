#include "runs/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

/// Relative, of a prediction that counts as near; measured runs of quiet machines differ by as much.
constexpr double near_enough = 0.1;
/// Share of a run: ranks that poll on a quiet machine wait for far less.
constexpr double crowded_machine = 0.25;

/// By which the second fastest run is longer than the fastest, relative: more runs make it less. Nothing of
/// one run.
std::optional<double> scatter(const std::vector<ValidationRun>& runs) {
  if (runs.size() < 2 || !(runs.front().total > 0)) return std::nullopt;
  return runs[1].total / runs.front().total - 1;
}

/// That of the run which had processors for itself most; nothing: unknown of some.
std::optional<double> least_crowded(const std::vector<ValidationRun>& runs) {
  double least = 1;
  for (const ValidationRun& run : runs) {
    if (!run.crowded) return std::nullopt;
    least = std::min(least, *run.crowded);
  }
  return least;
}

/// "16.1 % shorter than"
std::string distance_text(double relative) {
  return fmt::format("{:.1f} % {} than", 100 * std::abs(relative), relative < 0 ? "shorter" : "longer");
}

}  // namespace

std::string verdict(const Validation& validation) {
  const ValidationRun &measured = validation.measured.front(), &said = validation.predicted.front();
  if (!(measured.total > 0)) return "none: the program took no time";
  const double error = said.total / measured.total - 1;
  const std::string how_far = fmt::format("the predicted time is {} the measured one", distance_text(error));
  const std::optional<double> apart = scatter(validation.measured);
  if (!apart) return fmt::format("undecided: {}, and one run says nothing of how far runs differ", how_far);
  if (*apart > std::max(near_enough, std::abs(error)))
    return fmt::format(
        "undecided: {}, and the second fastest run is {} the fastest: repeat on a quiet machine, or with "
        "more "
        "--runs",
        how_far, distance_text(*apart));
  const double computing = (said.compute - measured.compute) / measured.total,
               communication = (said.communication - measured.communication) / measured.total;
  if (std::abs(error) <= near_enough) {
    const bool cancel = std::abs(communication) > near_enough && std::abs(computing) > near_enough;
    return fmt::format("passed: {} (within {:.0f} %){}", how_far, 100 * near_enough,
                       cancel ? "; but errors of computing and of communication cancel each other" : "");
  }
  if (const std::optional<double> crowded = least_crowded(validation.measured);
      crowded && *crowded > crowded_machine)
    return fmt::format(
        "undecided: {}, and programs waited for a processor during {} of the measured run that was disturbed "
        "least, which no model of a network predicts, nor was the fit measured in peace: repeat on a quiet "
        "machine, with at most as many ranks as processors",
        how_far, readable_share(*crowded));
  if (std::abs(computing) >= std::abs(communication))
    return fmt::format(
        "deviates: {}, {} of it by computing: ranks that share processors, caches and memory, which no model "
        "of a network predicts",
        how_far, readable_share(std::min(1.0, std::abs(computing / error))));
  return fmt::format(
      "deviates: {}, {} of it by communication: the fit misses what this program sends; look at its "
      "residuals ({}), and take ratios from predictions, not times",
      how_far, readable_share(std::min(1.0, std::abs(communication / error))), validation.fit);
}

std::optional<double> seconds_of_crowding() {
  std::ifstream file("/proc/pressure/cpu");
  const std::string wanted = "total=";
  for (std::string word; file >> word;)  // "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", microseconds
    if (word.starts_with(wanted))
      return static_cast<double>(std::strtoull(word.c_str() + wanted.size(), nullptr, 10)) / 1e6;
  return std::nullopt;
}

}  // namespace morgana
