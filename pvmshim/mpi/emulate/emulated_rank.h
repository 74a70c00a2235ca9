#pragma once

#include "pvmshim/channel/remote_memory.h"
#include "pvmshim/clock/live_rank.h"
#include "pvmshim/mpi/communicators.h"
#include "pvmshim/mpi/emulate/foreseen_matches.h"
#include "pvmshim/mpi/emulate/matched_messages.h"
#include "pvmshim/mpi/emulate/requests.h"
#include "pvmshim/mpi/emulate/send_buffer.h"

namespace morgana::mpi::emulated {

/// This process as a rank of an emulated MPI program.
///
/// A rank waits only for what brings it data or knowledge. All else is posted and its outcome taken for
/// granted: what a send carries is copied when it is posted, and the emulator carries out each rank's
/// operations in order on that rank's own clock.
struct EmulatedRank {
  EmulatedRank(const std::string& channel, Rank rank);

  /// Whether the message of a started receive is taken without asking the emulator. Where threads take turns
  /// it never is: who sleeps for it would keep the turn, and with it the thread that may have to send first.
  bool foresees(RequestId receive) const { return !live.threads_take_turns() && foreseen.foresees(receive); }

  LiveRank live;
  CommunicatorTable communicators;
  RequestHandles requests;
  ForeseenMatches foreseen;
  MatchedMessages matched;
  SendBuffer send_buffer;
  RemoteMemory remote_memory;
  int highest_tag;   ///< MPI_TAG_UB
  MPI_Comm scratch;  ///< make_scratch_communicator()
};

/// After MPI_Init.
EmulatedRank& me();
/// In MPI_Init; the object stays.
void become(EmulatedRank& rank);

}  // namespace morgana::mpi::emulated
