// Every rank prints as many lines as the first argument says, numbers in letters of its own (rank 0 a to j and k for
// the end, rank 1 l to v, rank 2 A to K, rank 3 L to V), so that each rank's can be told wherever they are parted; then the run ends as the second says: well, code (all
// return 1 after MPI_Finalize), or, by the last rank while the others wait for it: exit, segv, abort,
// abort_duplicate, abort_part, abort_between, child (as exit, with a child that holds the output), stop (which
// ends well when it is continued); or all: deadlock, hang, sends
// (a deadlock of sends of 16 KiB, which are longer than what a platform sends at once).
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static int is(const char* how, const char* name) {
  return strcmp(how, name) == 0;
}

static void print(int line) {
  const char first = "alAL"[rank % 4];
  char text[16];
  const int length = sprintf(text, "%d", line);
  for (int i = 0; i < length; ++i) text[i] = (char)(first + text[i] - '0');
  printf("%s%c\n", text, first + 10);
}

static MPI_Comm communicator(const char* how) {
  MPI_Comm made = MPI_COMM_WORLD, half;
  if (is(how, "abort_duplicate")) MPI_Comm_dup(MPI_COMM_WORLD, &made);
  if (is(how, "abort_part")) MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &made);
  if (is(how, "abort_between")) {
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &made);
  }
  return made;
}

/// In the last rank.
static void end(const char* how, MPI_Comm comm) {
  if (is(how, "exit")) exit(5);
  if (is(how, "segv")) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (strncmp(how, "abort", 5) == 0) MPI_Abort(comm, 7);
  if (is(how, "child")) {
    if (fork() == 0)
      while (1) pause();
    exit(5);
  }
  if (is(how, "stop")) raise(SIGSTOP);
}

int main(int argc, char** argv) {
  const int lines = argc > 1 ? atoi(argv[1]) : 1;
  const char* how = argc > 2 ? argv[2] : "well";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comm = communicator(how);
  for (int line = 0; line < lines; ++line) print(line);
  // Who ends by exit(3) or at last need not.
  if (!is(how, "exit") && !is(how, "code")) fflush(stdout);
  int token = 0;
  if (is(how, "deadlock")) MPI_Recv(&token, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is(how, "sends")) {
    static char out[16384], in[16384];
    MPI_Send(out, sizeof out, MPI_CHAR, (rank + 1) % ranks, 3, MPI_COMM_WORLD);
    MPI_Recv(in, sizeof in, MPI_CHAR, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (is(how, "exit") && rank != ranks - 1) fflush(stdout);
  if (is(how, "hang")) {
    fclose(fopen(rank == 0 ? "printed.0" : "printed.1", "w"));
    while (1) pause();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == ranks - 1) end(how, comm);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return is(how, "code") ? 1 : 0;
}
