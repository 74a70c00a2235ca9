// Two patterns of communication to load a network with, and nothing else: each rank sends the same bytes to every
// other rank, or to its six neighbours of a periodic grid of three dimensions.
//
//   exchange alltoall BYTES [ROUNDS]
//   exchange halo BYTES [ROUNDS]
//
// Rank 0 prints the mean time of a round.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_halo = argc > 2 && strcmp(argv[1], "halo") == 0;
  const int bytes = argc > 2 ? atoi(argv[2]) : 0, rounds = argc > 3 ? atoi(argv[3]) : 1;
  if ((!is_halo && (argc < 3 || strcmp(argv[1], "alltoall") != 0)) || bytes < 1 || rounds < 1) {
    if (rank == 0) fprintf(stderr, "exchange alltoall|halo BYTES [ROUNDS]: bytes and rounds are at least 1\n");
    MPI_Finalize();
    return 1;
  }
  const size_t blocks = is_halo ? faces : (size_t)ranks;
  char *out = calloc(blocks, (size_t)bytes), *in = calloc(blocks, (size_t)bytes);
  int sides[dimensions] = {0, 0, 0}, periodic[dimensions] = {1, 1, 1};
  MPI_Comm grid;
  MPI_Dims_create(ranks, dimensions, sides);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides, periodic, 0, &grid);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round)
    if (is_halo)
      halo(grid, out, in, bytes);
    else
      all_to_all(out, in, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s of %d bytes on %d ranks: %.3f us a round\n", argv[1], bytes, ranks, (MPI_Wtime() - start) / rounds * 1e6);
  MPI_Comm_free(&grid);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
