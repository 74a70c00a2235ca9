// Four patterns of communication to load a network with, and nothing else: each rank sends the same bytes to every
// other rank, to its six neighbours of a periodic grid of three dimensions, to rank 0, or to one other rank.
//
//   exchange alltoall|halo|incast|permutation BYTES [ROUNDS]
//
// The permutation is drawn by chance, the same in every run with as many ranks; no rank sends to itself.
// Rank 0 prints the mean time of a round.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

enum { dimensions = 3, faces = 2 * dimensions };

static void all_to_all(char* out, char* in, int bytes) {
  MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void halo(MPI_Comm grid, char* out, char* in, int bytes) {
  MPI_Request requests[2 * faces];
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int below, above;
    MPI_Cart_shift(grid, dimension, 1, &below, &above);
    const int neighbours[2] = {below, above};
    for (int side = 0; side < 2; ++side) {
      const int face = 2 * dimension + side;
      const size_t at = (size_t)face * (size_t)bytes;
      // What goes up arrives from below: its tag is that of the sender's side.
      MPI_Irecv(in + at, bytes, MPI_BYTE, neighbours[side], 2 * dimension + 1 - side, grid, &requests[2 * face]);
      MPI_Isend(out + at, bytes, MPI_BYTE, neighbours[side], face, grid, &requests[2 * face + 1]);
    }
  }
  MPI_Waitall(2 * faces, requests, MPI_STATUSES_IGNORE);
}

static void incast(int rank, int ranks, const char* out, char* in, int bytes) {
  if (rank != 0) {
    MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Request* requests = malloc((size_t)ranks * sizeof *requests);
  for (int from = 1; from < ranks; ++from)
    MPI_Irecv(in + (size_t)from * (size_t)bytes, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[from - 1]);
  MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

// Sattolo's algorithm gives a permutation of a single cycle: with two ranks or more, none is its own partner.
static void draw_partners(int rank, int ranks, int* to, int* from) {
  int* partners = calloc((size_t)ranks, sizeof *partners);
  for (int i = 0; i < ranks; ++i) partners[i] = i;
  unsigned long long state = 1;
  for (int i = ranks - 1; i > 0; --i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const int other = (int)((state >> 33) % (unsigned long long)i), kept = partners[i];
    partners[i] = partners[other];
    partners[other] = kept;
  }
  *to = partners[rank];
  for (int i = 0; i < ranks; ++i)
    if (partners[i] == rank) *from = i;
  free(partners);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  enum { alltoall, halo_of_grid, incast_at_0, permutation, patterns };
  static const char* const names[patterns] = {"alltoall", "halo", "incast", "permutation"};
  int pattern = 0;
  while (pattern < patterns && (argc < 3 || strcmp(argv[1], names[pattern]) != 0)) ++pattern;
  const int bytes = argc > 2 ? number_of_bytes(argv[2], 1) : -1, rounds = argc > 3 ? whole_number(argv[3], 1) : 1;
  if (pattern == patterns || argc > 4 || bytes < 1 || rounds < 1) {
    if (rank == 0)
      fprintf(stderr,
              "usage: exchange alltoall|halo|incast|permutation BYTES [ROUNDS]: BYTES (such as 65536 or 64KiB, below "
              "2 GiB) and ROUNDS are whole numbers of 1 or more\n");
    MPI_Finalize();
    return 1;
  }
  const size_t all = (size_t)ranks;
  const size_t sent = pattern == alltoall ? all : pattern == halo_of_grid ? faces : 1;
  const size_t received = pattern == incast_at_0 ? (rank == 0 ? all : 1) : sent;
  char *out = calloc(sent, (size_t)bytes), *in = calloc(received, (size_t)bytes);
  if (out == NULL || in == NULL) {
    fprintf(stderr, "exchange: rank %d has no memory for %zu blocks of %d bytes\n", rank, sent + received, bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int to = rank, from = rank;
  draw_partners(rank, ranks, &to, &from);
  int sides[dimensions] = {0, 0, 0}, periodic[dimensions] = {1, 1, 1};
  MPI_Comm grid;
  MPI_Dims_create(ranks, dimensions, sides);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides, periodic, 0, &grid);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    if (pattern == alltoall) all_to_all(out, in, bytes);
    if (pattern == halo_of_grid) halo(grid, out, in, bytes);
    if (pattern == incast_at_0) incast(rank, ranks, out, in, bytes);
    if (pattern == permutation)
      MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s of %d bytes on %d ranks: %.3f us a round\n", argv[1], bytes, ranks, (MPI_Wtime() - start) / rounds * 1e6);
  MPI_Comm_free(&grid);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
