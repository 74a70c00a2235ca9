#pragma once

#include <mpi.h>

namespace morgana::mpi::emulated {

// In an emulated run MPICH exchanges messages with other ranks only where it carries out a call for all of
// them together (together.h). Whatever else it sends is a call of the program's that the emulator does not
// see: such a call ends the run.

/// While it lives, MPICH may exchange messages: on any thread, since each moves on what others have begun.
class MpichTraffic {
 public:
  MpichTraffic();
  ~MpichTraffic();
  MpichTraffic(const MpichTraffic&) = delete;
  MpichTraffic& operator=(const MpichTraffic&) = delete;
};

/// MPICH is about to send a message or to wait for one. Ends the run, with the name of the program's call, if
/// no MpichTraffic lives.
void check_mpich_traffic();

/// Ends the run: MPICH found nothing wrong with the call that this thread is in.
[[noreturn]] void end_unrefused_call();

/// Hands a call that has been found to be wrong to MPICH, which checks all arguments before it communicates
/// and says in its own words what is wrong. Ends the run if it finds nothing.
/// @param by_mpich  its function for the call
/// @return the error, which the error handler has been called with
template <typename ByMpich, typename... Arguments>
int error_of_mpich(const ByMpich& by_mpich, Arguments... arguments) {
  const int error = by_mpich(arguments...);
  if (error == MPI_SUCCESS) end_unrefused_call();
  return error;
}

}  // namespace morgana::mpi::emulated
