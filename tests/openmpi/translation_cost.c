// What one call costs that goes no further than the MPI library: the shortest time of ten batches, in
// nanoseconds. Built for either interface: with interface.h for Open MPI's, else with mpi.h.
#include <stdio.h>
#include <time.h>

#ifdef FOR_OPENMPI
#include "interface.h"
#else
#include <mpi.h>
#define WORLD MPI_COMM_WORLD
#define INT MPI_INT
#endif

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  enum { calls = 200000 };
  double best = 1e30, best_of_types = 1e30;
  MPI_Init(&argc, &argv);
  for (int batch = 0; batch < 10; ++batch) {
    int rank = 0;
    double begin = now();
    for (int i = 0; i < calls; ++i) MPI_Comm_rank(WORLD, &rank);
    const double each = (now() - begin) / calls;
    if (each < best) best = each;
    begin = now();
    for (int i = 0; i < calls; ++i) MPI_Type_size(INT, &rank);
    const double each_of_types = (now() - begin) / calls;
    if (each_of_types < best_of_types) best_of_types = each_of_types;
  }
  printf("MPI_Comm_rank %.1f ns, MPI_Type_size %.1f ns\n", best, best_of_types);
  return MPI_Finalize();
}
