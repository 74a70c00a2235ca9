// The beginning and the end of a rank, and MPI's own clock.

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "pvmshim/mpi/abort.h"
#include "pvmshim/mpi/emulate/context_agreement.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/lifetime.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/self_attributes.h"
#include "pvmshim/mpi/told.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

/// A rank does not outlive the mpiexec that started it.
void end_with_parent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);
}

void start(Call call) {
  end_with_parent();
  note_how_mpich_was_launched();
  int rank = 0;
  real().MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  become(*new EmulatedRank(told(RankChannel::path_variable), Rank{rank}));
  LiveRank::become_active(me().live);
  set_running(true);
  const LiveRank::Visit visit(me().live);
  Operation begun = plain_operation(OperationKind::nothing, call, CallPart::first);
  me().live.post(begun);
  Operation self = context_operation(call, CallPart::last, *me().communicators.find(MPI_COMM_SELF));
  me().live.post(self);
}

void note(Call call) {
  const LiveRank::Visit visit(me().live);
  Operation nothing = plain_operation(OperationKind::nothing, call);
  me().live.post(nothing);
}

void end(Call call) {
  {
    const LiveRank::Visit visit(me().live);
    Operation last = plain_operation(OperationKind::exit, call);
    me().live.exit(last);
  }
  real().MPI_Comm_free(&me().scratch);
}

constexpr RankEvents rank_events{&start, &note, &end};

}  // namespace

int Init(int* argc, char*** argv) {
  return begin_world(rank_events, Call::MPI_Init, argc, argv, nullptr, nullptr);
}

int Init_thread(int* argc, char*** argv, int required, int* provided) {
  return begin_world(rank_events, Call::MPI_Init_thread, argc, argv, &required, provided);
}

int Initialized(int* flag) {
  *flag = world_was_initialised() ? 1 : 0;
  return MPI_SUCCESS;
}

int Finalized(int* flag) {
  *flag = world_was_finalised() ? 1 : 0;
  return MPI_SUCCESS;
}

int Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  return begin_session(rank_events, info, handler, session);
}

int Session_get_info(MPI_Session session, MPI_Info* info) {
  return get_session_info(session, info);
}

int Session_finalize(MPI_Session* session) {
  return end_session(rank_events, session);
}

int Finalize() {
  return end_world(rank_events);
}

int Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  return set_attribute(comm, keyval, value);
}

int Comm_delete_attr(MPI_Comm comm, int keyval) {
  return delete_attribute(comm, keyval);
}

int Abort(MPI_Comm comm, int code) {
  me().live.channel().announce({code, ""});
  return abort_world(comm, code);
}

// The name of the modelled host: ranks that share this machine may be on different ones.
int Get_processor_name(char* name, int* length) {
  if (const int error = real().MPI_Get_processor_name(name, length); error != MPI_SUCCESS) return error;
  RankChannel& channel = me().live.channel();
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "host%u", unsigned{channel.host_of(channel.rank())});
  return MPI_SUCCESS;
}

double Wtime() {
  LiveRank* rank = LiveRank::active();
  return rank == nullptr ? real().MPI_Wtime() : rank->read_clock(Call::MPI_Wtime).seconds();
}

double Wtick() {
  constexpr double picosecond = 1e-12;
  return LiveRank::active() == nullptr ? real().MPI_Wtick() : picosecond;
}

}  // namespace morgana::mpi::emulated
