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

const pid_t parent_at_start = getppid();

/// A rank does not outlive the mpiexec that started it.
void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent_at_start) _exit(EXIT_FAILURE);
}

/// MPICH carries little here, between processes of one machine: its quickest start-up is best. What the user
/// has set stays.
void choose_quick_start() {
  setenv("MPIR_CVAR_NOLOCAL", "1", 0);
  setenv("UCX_TLS", "sm,self", 0);
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
  choose_quick_start();
  const int result = real().MPI_Init(argc, argv);
  if (result == MPI_SUCCESS) start(Call::MPI_Init);
  return result;
}

int Init_thread(int* argc, char*** argv, int required, int* provided) {
  choose_quick_start();
  const int result =
      real().MPI_Init_thread(argc, argv, std::min(required, int{MPI_THREAD_SERIALIZED}), provided);
  if (result == MPI_SUCCESS) start(Call::MPI_Init_thread);
  return result;
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
