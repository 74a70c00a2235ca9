#pragma once

#include <mpi.h>

#include "emulator/operations/call.h"

namespace morgana::mpi {

// MPI's two beginnings and ends in this process: the world's (MPI_Init, MPI_Finalize) and those of sessions.
// MPICH's world is initialised with the first of them and finalised with the last, since all that is said of
// ranks is said in its numbers; what the program itself has not initialised is hidden from it.

/// What becomes of the rank with them.
struct RankEvents {
  void (*start)(Call call);  ///< MPICH is initialised
  void (*note)(Call call);   ///< a beginning or an end that is neither the first nor the last
  void (*end)(Call call);    ///< MPICH is about to be finalised
};

/// MPI_Init and MPI_Init_thread.
/// @param required, provided  null of MPI_Init; recordings have no MPI_THREAD_MULTIPLE: a recorded rank's
///   operations have one order
int begin_world(const RankEvents& rank, Call call, int* argc, char*** argv, const int* required,
                int* provided);
int end_world(const RankEvents& rank);
/// @throws Error after the end of all sessions and of the world: MPICH 4.0 does not survive another beginning
int begin_session(const RankEvents& rank, MPI_Info info, MPI_Errhandler handler, MPI_Session* session);
/// What a session was made with, as far as MPICH says it, and the level of threads that is provided.
int get_session_info(MPI_Session session, MPI_Info* info);
int end_session(const RankEvents& rank, MPI_Session* session);

/// Several threads of the program may call at once (MPI_THREAD_MULTIPLE): MPICH holds a lock in all it does.
bool threads_may_call();
bool world_was_initialised();
bool world_was_finalised();

}  // namespace morgana::mpi
