// What a call costs in real time when the program's clocks are simulated: prints operations per second and
// real time per round of one kind of traffic. The real clock is read by a system call of its own, which
// nobody interposes. Usage: live pingpong|posted|allreduce|window|duplicate ROUNDS
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "examples/numbers.h"

enum { batch = 100 };

static double real_seconds(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Pairs of ranks send 8 bytes to and fro, with blocking calls: 2 operations a rank and round.
static long pingpong(int rank, int rounds) {
  double value = 0;
  const int other = rank ^ 1;
  for (int i = 0; i < rounds; ++i) {
    if (rank % 2 == 0) {
      MPI_Send(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    }
  }
  return 2;
}

// Each rank sends `batch` messages of 8 bytes to its right neighbour without waiting for any, and gets as
// many.
static long posted(int rank, int size, int rounds) {
  static double out[batch], in[batch];
  static MPI_Request requests[2 * batch];
  static MPI_Status statuses[2 * batch];
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < batch; ++k)
      MPI_Irecv(&in[k], 1, MPI_DOUBLE, (rank + size - 1) % size, k, MPI_COMM_WORLD, &requests[k]);
    for (int k = 0; k < batch; ++k)
      MPI_Isend(&out[k], 1, MPI_DOUBLE, (rank + 1) % size, k, MPI_COMM_WORLD, &requests[batch + k]);
    MPI_Waitall(2 * batch, requests, statuses);
  }
  return 2 * batch;
}

static long allreduce(int rounds) {
  double mine = 1, sum;
  for (int i = 0; i < rounds; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return 1;
}

static long window(int rounds) {
  static double memory[8];
  for (int i = 0; i < rounds; ++i) {
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
  }
  return 2;
}

static long duplicate(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
  }
  return 2;
}

static long traffic(const char* kind, int rank, int size, int rounds) {
  if (strcmp(kind, "pingpong") == 0) return pingpong(rank, rounds);
  if (strcmp(kind, "posted") == 0) return posted(rank, size, rounds);
  if (strcmp(kind, "window") == 0) return window(rounds);
  if (strcmp(kind, "duplicate") == 0) return duplicate(rounds);
  return allreduce(rounds);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 2 ? whole_number(argv[2], 1) : 0;
  if (rounds <= 0 || size % 2 != 0) {
    if (rank == 0)
      fprintf(stderr,
              "usage: live pingpong|posted|allreduce|window|duplicate ROUNDS, with an even number of ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = real_seconds();
  const long operations = traffic(argv[1], rank, size, rounds);
  MPI_Barrier(MPI_COMM_WORLD);
  const double taken = real_seconds() - begin;
  if (rank == 0)
    printf("%-9s %3d ranks: %9.0f operations/s, %8.2f us a round\n", argv[1], size,
           (double)operations * rounds * size / taken, taken / rounds * 1e6);
  MPI_Finalize();
  return 0;
}
