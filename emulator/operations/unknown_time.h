#pragma once

#include "emulator/core/time.h"

namespace morgana {

/// The clock of an answer (Answer::clock) to a wait whose requests are certain to bring what it says, while
/// it is not known yet when: the operation ends later, and no report is sent.
constexpr SimTime unknown_time = SimTime::max();

}  // namespace morgana
