#pragma once

#include <cstdint>

#include "emulator/engine/operation_source.h"

namespace morgana {

/// An MPI program under way, wherever its ranks run.
class MpiProgram : public OperationSource {
 public:
  /// After every rank's exit operation: waits for the processes to end.
  /// @return the program's exit code. @throws RankFailed (rank_failure.h); Interrupted (interrupt.h)
  virtual int finish() = 0;
  /// How many threads any one rank has had at once.
  virtual std::uint32_t most_threads() const = 0;
};

}  // namespace morgana
