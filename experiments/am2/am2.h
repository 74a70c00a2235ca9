#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// Active Messages II and its firmware on Myrinet, of rows V-01 to V-27 those that one resident endpoint a
/// host can show.
Experiment active_messages();

}  // namespace morgana
