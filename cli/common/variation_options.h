#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/common/options.h"
#include "replay/compute_variation.h"

namespace morgana::cli {

/// --slow-rank and --compute-noise of commands that replay.
struct VariationOptions {
  std::vector<std::string> slow;
  std::string noise;

  void add(Command& command);
  bool given() const { return !slow.empty() || !noise.empty(); }
  /// Nothing where neither is given.
  std::optional<ComputeVariation> variation() const;
};

}  // namespace morgana::cli
