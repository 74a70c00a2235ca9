// Each rank gives the next one a million ints by MPI_Alltoallw; all other blocks are empty. With "null" these
// have MPI_DATATYPE_NULL; with "blocking", "nonblocking" or "persistent" behind that it is called so.
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { count = 1000000 };

int main(int argc, char** argv) {
  int rank, ranks, counts[2][8] = {{0}}, places[8] = {0};
  MPI_Datatype types[2][8];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* form = argc > 2 ? argv[2] : "blocking";
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int r = 0; r < 8; ++r)
    types[0][r] = types[1][r] = argc > 1 && strcmp(argv[1], "null") == 0 ? MPI_DATATYPE_NULL : MPI_INT;
  counts[0][next] = counts[1][before] = count;
  types[0][next] = types[1][before] = MPI_INT;
  int *out = malloc(count * sizeof(int)), *in = calloc(count, sizeof(int));
  for (int i = 0; i < count; ++i) out[i] = rank + i;
  if (strcmp(form, "blocking") == 0) {
    MPI_Alltoallw(out, counts[0], places, types[0], in, counts[1], places, types[1], MPI_COMM_WORLD);
  } else {
    if (strcmp(form, "nonblocking") == 0)
      MPI_Ialltoallw(out, counts[0], places, types[0], in, counts[1], places, types[1], MPI_COMM_WORLD,
                     &request);
    else
      MPI_Alltoallw_init(out, counts[0], places, types[0], in, counts[1], places, types[1], MPI_COMM_WORLD,
                         MPI_INFO_NULL, &request);
    if (strcmp(form, "persistent") == 0) MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += in[i] != before + i;
  CHECK(wrong == 0, "%d of %d are wrong", wrong, count);
  free(out);
  free(in);
  return verdict("empty_blocks");
}
