#include "emulator/core/confidence.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace morgana {

double student_t(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), 0.5 + probability / 2);
}

ConfidenceInterval confidence_interval(const RunningStatistics& values, double confidence) {
  if (values.count() < 2) return {values.mean(), std::numeric_limits<double>::infinity()};
  const auto n = static_cast<double>(values.count());
  return {values.mean(), student_t(confidence, n - 1) * values.standard_deviation() / std::sqrt(n)};
}

}  // namespace morgana
