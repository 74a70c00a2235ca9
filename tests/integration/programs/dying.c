// The last rank ends as the argument says, while the others wait for it: exit, _exit, return, abort, kill,
// segv, mpi_abort; or "afterwards": it aborts when all have finalised MPI.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* how = argc > 1 ? argv[1] : "exit";
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    if (strcmp(how, "exit") == 0) exit(3);
    if (strcmp(how, "_exit") == 0) _exit(4);
    if (strcmp(how, "return") == 0) return 0;
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "segv") == 0) kill(getpid(), SIGSEGV);
    if (strcmp(how, "mpi_abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == ranks - 1 && strcmp(how, "afterwards") == 0) {
    const struct timespec pause = {0, 300000000}; /* of real time */
    syscall(SYS_nanosleep, &pause, NULL);
    abort();
  }
  return 0;
}
