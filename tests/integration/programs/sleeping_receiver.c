// Rank 0 waits for a message that rank 1 sends once rank 0 has slept a hundred times since it asked.
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/// How often the process has given its processor away of its own accord.
static long sleeps_of(int process) {
  char name[64], line[256];
  long sleeps = -1;
  snprintf(name, sizeof name, "/proc/%d/status", process);
  FILE* file = fopen(name, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "voluntary_ctxt_switches:", 24) == 0) sscanf(line + 24, "%ld", &sleeps);
  if (file != NULL) fclose(file);
  return sleeps;
}

int main(int argc, char** argv) {
  int rank, process = getpid();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(&process, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&process, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(&process, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const long before = sleeps_of(process);
    CHECK(before >= 0, "no count of rank 0's sleeps: %ld", before);
    while (before >= 0 && sleeps_of(process) < before + 100) sched_yield();
    MPI_Send(&process, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  return verdict("sleeping_receiver");
}
