#pragma once

#include <vector>

#include "pvmshim/agent/examination.h"

namespace morgana::cli {

/// Everything that `morgana run`, `capture` and plots rely on, tried out where that is possible.
std::vector<Check> check_machine();

}  // namespace morgana::cli
