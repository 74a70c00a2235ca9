#pragma once

#include <string_view>

#include "emulator/collectives/algorithms.h"
#include "emulator/collectives/tuning.h"

namespace morgana::collectives {

/// An algorithm that a tuning may name, and when it can be used.
struct NamedAlgorithm {
  Algorithm run;  ///< nullptr: the kind is always carried out by another kind's algorithm
  bool (*applies)(const Member&);
};

/// @throws Error if there is no such algorithm for this kind of collective
NamedAlgorithm algorithm_named(CollectiveKind kind, std::string_view name);

/// What carries out a member's part: the algorithm that the tuning names for its kind, if that applies, else
/// MPICH's choice.
Algorithm chosen_algorithm(const Member& member, const CollectiveTuning& tuning);

}  // namespace morgana::collectives
