// What every program here ends with: PASS, or FAIL and where.
#pragma once

#include <mpi.h>
#include <stdio.h>

static int failures = 0;

#define CHECK(condition, ...)                                         \
  do {                                                                \
    if (!(condition)) {                                               \
      int check_rank;                                                 \
      MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);                     \
      printf("FAIL %s:%d rank %d: ", __FILE__, __LINE__, check_rank); \
      printf(__VA_ARGS__);                                            \
      printf("\n");                                                   \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

// Ends MPI. Returns the program's exit code.
static inline int verdict(const char* name) {
  int total = 0, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %s\n", total == 0 ? "PASS" : "FAIL", name);
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
