// Numbers travel around a ring of processes, which work on them on the way; then the even and the odd ranks
// add theirs up among themselves, and rank 0 collects everything in the order in which it comes.
//
//   mpiexec.mpich -n 4 ./ring [ROUNDS] [COUNT]
//   morgana run -n 4 --platform fast-ethernet -- ./ring
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "numbers.h"

static int rank, ranks;

// One step: pass the numbers on and, while they are under way, prepare for those that come.
static void pass_on(double* numbers, double* arriving, double* weights, int count) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request requests[2];
  MPI_Irecv(arriving, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(numbers, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < count; ++i) weights[i] = 1.0 / (1.0 + i + rank);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) numbers[i] = 0.5 * (arriving[i] + weights[i]);
}

static double sum_of(const double* numbers, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += numbers[i];
  return sum;
}

// Rank 0 takes the sums as they come, whoever is first.
static double collect(double sum) {
  if (rank != 0) {
    MPI_Send(&sum, 1, MPI_DOUBLE, 0, rank, MPI_COMM_WORLD);
    return sum;
  }
  double* sums = calloc((size_t)ranks, sizeof *sums);
  sums[0] = sum;
  for (int i = 1; i < ranks; ++i) {
    double arrived;
    MPI_Status status;
    MPI_Recv(&arrived, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    sums[status.MPI_SOURCE] = arrived;
  }
  const double total = sum_of(sums, ranks);  // in the order of ranks: the same whoever came first
  free(sums);
  return total;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? whole_number(argv[1], 0) : 20, count = argc > 2 ? whole_number(argv[2], 1) : 4096;
  if (argc > 3 || rounds < 0 || count < 1) {
    if (rank == 0)
      fprintf(stderr, "usage: ring [ROUNDS] [COUNT], whole numbers: COUNT is how many doubles go around, 1 or more\n");
    MPI_Finalize();
    return 1;
  }
  double* numbers = malloc(sizeof(double) * (size_t)count);
  double* arriving = malloc(sizeof(double) * (size_t)count);
  double* weights = malloc(sizeof(double) * (size_t)count);
  for (int i = 0; i < count; ++i) numbers[i] = rank + 1.0 / (i + 1);

  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    pass_on(numbers, arriving, weights, count);
    double largest = 0;
    MPI_Allreduce(&numbers[0], &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    numbers[0] = largest;
  }

  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  double sum = sum_of(numbers, count), half_sum = 0;
  MPI_Allreduce(&sum, &half_sum, 1, MPI_DOUBLE, MPI_SUM, half);
  MPI_Bcast(numbers, count, MPI_DOUBLE, 0, half);
  MPI_Comm_free(&half);

  double checksum = collect(sum + half_sum + numbers[count - 1]);
  MPI_Bcast(&checksum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const double took = MPI_Wtime() - began;
  if (rank == 0) printf("ring of %d: checksum %.10f, %.6f s\n", ranks, checksum, took);
  free(numbers);
  free(arriving);
  free(weights);
  MPI_Finalize();
  return 0;
}
