#pragma once

#include <string>
#include <vector>

#include "emulator/network/fabric/parameters.h"

namespace morgana {

// What the lists of a fabric's section name.

/// network.class-weights: "strict, 3, 1", by traffic class.
/// @return as FabricParameters::class_weights. @throws Error naming the item
std::vector<unsigned> class_weights(const std::vector<std::string>& items);

/// network.high-priority and network.low-priority: "0:64", a traffic class and a weight. The entry stands for
/// each virtual channel that the class has, one after the other.
/// @param classes  that there are. @param of_routing  virtual channels of each class
/// @throws Error naming the item, also for more entries than a table has (64)
std::vector<fabric::LaneWeight> lane_weights(const std::vector<std::string>& items, unsigned classes,
                                             unsigned of_routing);

/// Whether an item of network.faults is about a host that pauses.
bool is_pause_storm(const std::string& item);
/// "host 5 pauses at 10 ms", "host 5 pauses class 1 at 10 ms for 5 ms".
/// @param classes  that the fabric has; one that it has not is left to its check. @throws Error naming the
/// item
fabric::PauseStorm pause_storm(const std::string& item, unsigned classes);

}  // namespace morgana
