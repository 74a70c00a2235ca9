/* misbehaving HOW [RANK]: an MPI program whose rank RANK (default 1) does something that it should not. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void misbehave(const char* how) {
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "segfault") == 0) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "exit") == 0) exit(7);
  if (strcmp(how, "_exit") == 0) _exit(8);
  if (strcmp(how, "mpi-abort") == 0) MPI_Abort(MPI_COMM_WORLD, 6);
  if (strcmp(how, "flood") == 0) {
    static char data[100000];
    MPI_Request requests[100];
    for (int i = 0; i < 100; ++i) MPI_Isend(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[i]);
  }
  if (strcmp(how, "ignore") == 0) {
    signal(SIGTERM, SIG_IGN);
    while (1) pause();
  }
  if (strcmp(how, "orphan") == 0 && fork() == 0) {
    setsid();
    while (1) pause();
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "well";
  const int bad = argc > 2 ? atoi(argv[2]) : 1;
  int rank = 0;
  if (strcmp(how, "uninitialised") == 0) return 0;
  if (strcmp(how, "fails") == 0) return 3;
  if (strcmp(how, "early") == 0 && atoi(getenv("PMI_RANK")) == bad) return 4;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Wtime(); /* answered when all ranks ask: MPICH's own start is over everywhere */
  if (rank == bad) misbehave(how);
  if (strcmp(how, "hang") == 0)
    while (1) pause();
  MPI_Wtime();
  MPI_Finalize();
  if (strcmp(how, "late") == 0 && rank == bad) raise(SIGKILL);
  return strcmp(how, "code") == 0 && rank == bad ? 5 : 0;
}
