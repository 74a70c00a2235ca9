// The beginning and the end of a rank, and MPI's own clock.

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
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
  int rank = 0;
  real().MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  become(*new EmulatedRank(std::getenv(RankChannel::path_variable), Rank{rank}));
  LiveRank::become_active(me().live);
  set_running(true);
  const LiveRank::Visit visit(me().live);
  Operation begun = plain_operation(OperationKind::nothing, call, CallPart::first);
  me().live.post(begun);
  Operation self = context_operation(call, CallPart::last, *me().communicators.find(MPI_COMM_SELF));
  me().live.post(self);
}

}  // namespace

int Init(int* argc, char*** argv) {
  const int result = real().MPI_Init(argc, argv);
  if (result == MPI_SUCCESS) start(Call::MPI_Init);
  return result;
}

int Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int result =
      real().MPI_Init_thread(argc, argv, std::min(required, int{MPI_THREAD_SERIALIZED}), provided);
  if (result == MPI_SUCCESS) start(Call::MPI_Init_thread);
  return result;
}

int Abort(MPI_Comm comm, int code) {
  me().live.channel().aborting(code);
  return real().MPI_Abort(comm, code);
}

int Finalize() {
  {
    const LiveRank::Visit visit(me().live);
    Operation last = plain_operation(OperationKind::exit, Call::MPI_Finalize);
    me().live.exit(last);
  }
  set_running(false);
  return real().MPI_Finalize();
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
