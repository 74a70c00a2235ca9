// Every rank computes for the seconds (of its own processor's time) and the number of times that it is told
// (default: 1 s, 2 times), each followed by a barrier. Prints "computing" once all ranks have met, and in the end
// what MPI_Wtime says it took.
#include <stdlib.h>

#include "check.h"

static volatile double sink;

// A piece of work whose length is found once, before: asking for the time would be a call to the shim.
static void work(long steps) {
  double sum = 0;
  for (long i = 0; i < steps; ++i) sum += 1.0 / (double)(i + 1);
  sink = sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double seconds = argc > 1 ? atof(argv[1]) : 1.0;
  const int times = argc > 2 ? atoi(argv[2]) : 2;
  const long steps = (long)(seconds * 2.5e8);  // about a second's worth on a processor of the 2020s
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("computing\n");
  fflush(stdout);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    work(steps);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double took = MPI_Wtime() - begin;
  CHECK(took >= 0, "%.6f s", took);
  if (rank == 0) printf("took %.6f s\n", took);
  return verdict("barriers");
}
