#pragma once

#include <string>
#include <vector>

namespace morgana::cli {

/// One thing that Morgana needs of this machine, and whether it is there.
struct Check {
  enum class State { ok, warning, missing };
  State state;
  std::string what;
  std::string detail;  ///< what was found
  std::string mend;    ///< what to do about it, empty if ok
};

/// Everything that `morgana run`, `capture` and plots rely on, tried out where that is possible.
std::vector<Check> check_machine();

}  // namespace morgana::cli
