#pragma once

#include <mpi.h>

#include <memory>
#include <unordered_map>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

/// A message that a probe has set aside: only the receive that names it gets it.
struct MatchedMessage {
  RequestId taken = no_request;  ///< its name
  std::shared_ptr<const Communicator> comm;
  int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
};

/// The messages of this rank that are set aside, and their handles: 0x1nnnnnnn, which no handle of MPICH's
/// is.
class MatchedMessages {
 public:
  static bool is_ours(MPI_Message handle) { return (static_cast<unsigned>(handle) >> 28) == 1; }

  MPI_Message add(MatchedMessage message);
  /// Its receive is about to be posted: ends the handle.
  /// @throws Error for a handle that names no message
  MatchedMessage take(MPI_Message handle);

 private:
  std::unordered_map<MPI_Message, MatchedMessage> messages_;  // looked up only
  unsigned last_ = 0;
};

}  // namespace morgana::mpi::emulated
