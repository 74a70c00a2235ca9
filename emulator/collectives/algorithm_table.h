#pragma once

#include <span>
#include <string_view>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/collectives/algorithms.h"
#include "emulator/collectives/tuning.h"

namespace morgana::collectives {

/// An algorithm that a tuning may name, and when it can be used.
struct NamedAlgorithm {
  Algorithm run;  ///< nullptr: MPICH carries out the kind by other kinds' algorithms
  bool (*applies)(const Member&);
};

struct AlgorithmRow {
  AlgorithmChoice choice;
  NamedAlgorithm algorithm;
};
/// Open MPI's, by kind in the order of CollectiveKind.
std::span<const AlgorithmRow> openmpi_rows();

/// Where both libraries have one of that name: that of `library`.
/// @throws Error if there is no such algorithm for this kind of collective
NamedAlgorithm algorithm_named(CollectiveKind kind, std::string_view name, CollectiveLibrary library);

/// What carries out a member's part: the algorithm that the tuning names for its kind, if that applies, else
/// its library's choice.
struct ChosenAlgorithm {
  Algorithm run;  ///< nullptr: a context is created as MPICH does it
  bool is_named = false;
};
ChosenAlgorithm chosen_algorithm(const Member& member, const CollectiveTuning& tuning);

}  // namespace morgana::collectives
