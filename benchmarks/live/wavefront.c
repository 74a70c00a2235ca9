// A wavefront solver, as in particle transport: ranks in columns of a square grid (Koch, Baker, Alcouffe
// 1992). In each step a rank waits for the values of its northern and western neighbours, computes its block
// from them, and sends its own to the south and the east. Sweeps begin at the four corners by turns. Usage:
// wavefront SWEEPS STEPS CELLS: steps in a sweep; CELLS x CELLS x CELLS cells in a block. Prints the
// checksum, which depends on the arguments and the number of ranks alone, and real time a message. The real
// clock is read by a system call of its own, which nobody interposes.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "examples/numbers.h"

enum { most = 64 };

static double west[most * most], north[most * most], below[most * most];

static double real_seconds(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Each cell's value is the mean of the fluxes that enter it, weakened, and a source.
static double compute(int cells, double source) {
  double sum = 0;
  for (int z = 0; z < cells; ++z)
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x) {
        double *w = &west[z * cells + y], *n = &north[z * cells + x], *b = &below[y * cells + x];
        const double value = (source + 0.9 * (*w + *n + *b)) / (3.0 + 0.01 * *w);
        *w = *n = *b = value;
        sum += value;
      }
  return sum;
}

int main(int argc, char** argv) {
  int rank, size, side = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int sweeps = argc == 4 ? whole_number(argv[1], 1) : 0, steps = argc == 4 ? whole_number(argv[2], 1) : 0,
            cells = argc == 4 ? whole_number(argv[3], 1) : 0;
  while (side * side < size) ++side;
  if (sweeps < 1 || steps < 1 || cells < 1 || cells > most || side * side != size) {
    if (rank == 0)
      fprintf(stderr, "usage: wavefront SWEEPS STEPS CELLS, CELLS up to %d, with a square number of ranks\n",
              (int)most);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int column = rank % side, row = rank / side, face = cells * cells;
  double sum = 0, total = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = real_seconds();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const int dx = sweep & 1 ? -1 : 1, dy = sweep & 2 ? -1 : 1;
    const int from_x = column - dx, to_x = column + dx, from_y = row - dy, to_y = row + dy;
    for (int i = 0; i < face; ++i) west[i] = north[i] = below[i] = 0;
    for (int step = 0; step < steps; ++step) {
      if (from_x >= 0 && from_x < side)
        MPI_Recv(west, face, MPI_DOUBLE, row * side + from_x, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (from_y >= 0 && from_y < side)
        MPI_Recv(north, face, MPI_DOUBLE, from_y * side + column, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += compute(cells, 1.0 + step % 7);
      if (to_x >= 0 && to_x < side) MPI_Send(west, face, MPI_DOUBLE, row * side + to_x, 0, MPI_COMM_WORLD);
      if (to_y >= 0 && to_y < side)
        MPI_Send(north, face, MPI_DOUBLE, to_y * side + column, 1, MPI_COMM_WORLD);
    }
  }
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const double taken = real_seconds() - begin;
  const double messages = 2.0 * side * (side - 1) * steps * sweeps;
  if (rank == 0)
    printf("wavefront of %d ranks: checksum %.12g, %.0f messages, %.2f s, %.2f us a message\n", size, total,
           messages, taken, 1e6 * taken / messages);
  MPI_Finalize();
  return 0;
}
