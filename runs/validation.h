#pragma once

#include <optional>
#include <string>
#include <vector>

namespace morgana {

/// Seconds of one run: of the slowest rank, and of computing and communication in the mean of the ranks.
struct ValidationRun {
  double total = 0, compute = 0, communication = 0;
  /// The share of the run during which some process of the machine waited for a processor, 0 to 1; nothing:
  /// unknown.
  std::optional<double> crowded = {};
};

/// A program's runs, each at least one, the fastest first: whatever disturbs a run only makes it longer.
struct Validation {
  std::vector<ValidationRun> measured, predicted;
  std::string fit;  ///< the command that shows the fit's residuals
};

/// What the comparison means, in a line: "passed: ...", "deviates: ..." or "undecided: ...".
///
///     passed      the predicted time is within 10 % of the measured one
///     undecided   of one run; where measured runs differ by more than the prediction is off; and where in
///                 every measured run processes waited for processors, for more than a quarter of the time
///     deviates    else, by computing or by communication
std::string verdict(const Validation& validation);

/// How long processes of this machine have waited for a processor since it was started, in seconds ("some" of
/// Linux's pressure stall information, /proc/pressure/cpu). Nothing where the kernel does not say.
std::optional<double> seconds_of_crowding();

}  // namespace morgana
