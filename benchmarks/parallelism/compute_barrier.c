/* Every rank computes a fixed amount between barriers: compute_barrier ROUNDS MILLION_STEPS. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t compute(uint64_t state, long steps) {
  for (long i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rounds = argc > 1 ? atoi(argv[1]) : 4;
  const long steps = 1000000L * (argc > 2 ? atol(argv[2]) : 100);
  uint64_t state = 88172645463325252u + (uint64_t)rank;
  for (int round = 0; round < rounds; ++round) {
    state = compute(state, steps);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%016llx\n", (unsigned long long)state);
  MPI_Finalize();
  return 0;
}
