#pragma once

#include "emulator/core/statistics.h"

namespace morgana {

/// A mean and how far the true one may be from it: with the given confidence it lies within mean +- radius,
/// if the values are independent and roughly normal (Student's t distribution, n - 1 degrees of freedom).
struct ConfidenceInterval {
  double mean = 0;
  double radius = 0;  ///< infinite for fewer than two values
  double least() const { return mean - radius; }
  double greatest() const { return mean + radius; }
};

/// @param confidence  more than 0 and less than 1: 0.9 is the level that the ATM thesis of 1997 reports
ConfidenceInterval confidence_interval(const RunningStatistics& values, double confidence = 0.9);

/// The t that a variable of Student's distribution exceeds in neither direction with this probability.
/// @param degrees  of freedom, >= 1
double student_t(double probability, double degrees);

}  // namespace morgana
