#pragma once

#include <string>
#include <vector>

#include "tests/integration/support/finished_process.h"

namespace morgana::test {

/// Runs a program on `ranks` ranks of the real MPICH, unchanged but for one thing: a rank that waits sleeps
/// instead of spinning. So what a test compares with natively is cheap however few processors there are.
/// @param environment  "NAME=VALUE" for the ranks
FinishedProcess run_natively(int ranks, const std::vector<std::string>& command,
                             const std::vector<std::string>& environment = {});

/// "NAME=VALUE" that does the same for the ranks of `morgana capture`, which run over the real MPICH, too.
std::string sleeping_progress();

}  // namespace morgana::test
