#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "emulator/core/units.h"

namespace morgana {

/// Whose algorithms carry out collectives.
enum class CollectiveLibrary : std::uint8_t {
  automatic,  ///< that of the library for which the program was built; where there is no program, mpich
  mpich,      ///< MPICH 4.0's
  openmpi,    ///< Open MPI 4.1's
  nccl        ///< NCCL's, of `morgana collective` and execution traces. Calls of MPI: as automatic
};

/// How a platform's library carries out collectives.
struct CollectiveTuning {
  /// Whose algorithms calls of MPI have. automatic and nccl: MPICH's, until the program is known.
  CollectiveLibrary library = CollectiveLibrary::automatic;
  /// Which algorithm carries out each kind where the platform does not leave it to the library's thresholds:
  /// "allreduce" -> "recursive-doubling".
  std::map<std::string, std::string> algorithm;
  /// Of algorithms of Open MPI that are named and cut messages: the size of a piece. 0: messages are not cut,
  /// as where its decision functions choose.
  Bytes segment;
  /// Of Open MPI's algorithm "chain", where that is named: how many chains start at the root, > 0.
  std::uint32_t chains = 1;
  /// When nonblocking collectives go on.
  enum class Progress : std::uint8_t {
    in_calls,      ///< while their rank is in a call of the library, on the rank's processor
    asynchronous,  ///< at all times, on a processor that each rank has for this alone
  };
  Progress progress = Progress::in_calls;

  /// Once it is known for which library the program was built: whose algorithms its calls have.
  void settle(bool built_for_openmpi) {
    if (library == CollectiveLibrary::mpich || library == CollectiveLibrary::openmpi) return;
    library = built_for_openmpi ? CollectiveLibrary::openmpi : CollectiveLibrary::mpich;
  }
};

}  // namespace morgana
