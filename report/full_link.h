#pragma once

#include <string>

#include "emulator/core/link_history.h"
#include "traces/export/timeline.h"

namespace morgana {

/// During which part of the call that takes the ranks longest the busiest link is full, sending for at least
/// 95 % of a window of the history: "the busiest link is full during at least 60.2 % of the ranks'
/// time in MPI_Alltoall": of a window in which it is full for some time only nothing counts. Empty where it
/// is so for less than a tenth of it, and without links or calls.
std::string full_link_text(const Timeline& timeline, const LinkHistory& history);

}  // namespace morgana
