#pragma once

#include <string>
#include <variant>
#include <vector>

#include "experiments/experiment.h"

namespace morgana::cli {

struct DrawnFigure {
  std::string name;
  std::variant<Curves, LinkMap, TimeSpace> picture;
};

/// An experiment that is over.
struct CarriedOut {
  ExperimentReport report;
  std::vector<DrawnFigure> figures;
};

/// The page that `morgana reproduce --report` asks for: each experiment's rows with their verdicts, what is
/// to be known of them, and its figures.
std::string reproduce_page(const std::vector<CarriedOut>& all);

}  // namespace morgana::cli
