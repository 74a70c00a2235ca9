#pragma once

#include <string>

#include "experiments/experiment.h"

namespace morgana {

/// A figure of a condition against a published one, within a share of it.
Row row_of_figure(std::string id, std::string title, double published, std::string unit, double share,
                  Condition condition, std::string figure);

}  // namespace morgana
