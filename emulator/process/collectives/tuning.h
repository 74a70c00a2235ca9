#pragma once

#include <map>
#include <string>

namespace morgana {

/// Which algorithm carries out each kind of collective where the platform does not leave it to MPICH's
/// thresholds: "allreduce" -> "recursive-doubling".
struct CollectiveTuning {
  std::map<std::string, std::string> algorithm;
};

}  // namespace morgana
