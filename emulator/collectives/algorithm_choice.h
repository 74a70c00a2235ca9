#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "emulator/collectives/tuning.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// An algorithm that a CollectiveTuning can name for a kind of collective.
struct AlgorithmChoice {
  std::string_view kind;       ///< key of CollectiveTuning, as name_of(CollectiveKind)
  std::string_view algorithm;  ///< "recursive-doubling"
  std::string_view description;
  std::string_view chosen_when;                          ///< the library's own condition for it
  std::string_view source;                               ///< the library's name of it
  CollectiveLibrary library = CollectiveLibrary::mpich;  ///< whose it is: mpich or openmpi
};

/// All of them, MPICH's before Open MPI's, of each by kind in the order of CollectiveKind; the first of
/// MPICH's of each kind is its simplest. Both may have one of the same name.
std::span<const AlgorithmChoice> algorithm_choices();

/// The name of what carries out a collective in which all members enter `part`, seen from the first member:
/// the algorithm that the tuning names, if that applies, else its library's choice; "" if that has no name.
std::string_view algorithm_of(const CollectivePart& part, std::int32_t members,
                              const CollectiveTuning& tuning);
/// The same for people: of an Open MPI's algorithm that does another one's work, with that one:
/// "segmented-ring as recursive-doubling".
std::string algorithm_text(const CollectivePart& part, std::int32_t members, const CollectiveTuning& tuning);

/// @throws Error for a kind of collective or an algorithm that does not exist; names those that do
void check(const CollectiveTuning& tuning);

}  // namespace morgana
