// Broadcast, gather, scatter and allgather in all their forms, checked against what every rank can compute.
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int rank, ranks;

static double value(int owner, int i) {
  return owner * 1000.0 + i;
}

static void fill(double* data, int owner, int count) {
  for (int i = 0; i < count; ++i) data[i] = value(owner, i);
}

static void expect(const double* data, int owner, int first, int count, const char* what) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += data[i] != value(owner, first + i);
  CHECK(wrong == 0, "%s: %d of %d wrong of rank %d", what, wrong, count, owner);
}

static double* room(int count) {
  return calloc((size_t)count + 1, sizeof(double));
}

static void broadcasts(int count, int root) {
  double* data = room(count);
  if (rank == root) fill(data, root, count);
  MPI_Bcast(data, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  expect(data, root, 0, count, "bcast");
  free(data);
}

static void gathers(int count, int root, int in_place) {
  double *own = room(count), *all = room(count * ranks);
  fill(own, rank, count);
  double* place = all + rank * count;
  if (in_place) memcpy(place, own, sizeof(double) * (size_t)count);
  MPI_Gather(in_place && rank == root ? MPI_IN_PLACE : own, count, MPI_DOUBLE, all, count, MPI_DOUBLE, root,
             MPI_COMM_WORLD);
  for (int i = 0; i < ranks && rank == root; ++i) expect(all + i * count, i, 0, count, "gather");
  memset(all, 0, sizeof(double) * (size_t)(count * ranks));
  memcpy(place, own, sizeof(double) * (size_t)count);
  MPI_Allgather(in_place ? MPI_IN_PLACE : own, count, MPI_DOUBLE, all, count, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) expect(all + i * count, i, 0, count, "allgather");
  free(own);
  free(all);
}

static void gathers_of_different_sizes(int root, int in_place) {
  int* counts = malloc(sizeof(int) * (size_t)ranks);
  int* places = malloc(sizeof(int) * (size_t)ranks);
  int total = 0;
  for (int i = 0; i < ranks; ++i) {  // from nothing to more, with a gap after each, the last rank's first
    counts[i] = i * 3;
    places[ranks - 1 - i] = 0;
  }
  for (int i = ranks - 1; i >= 0; --i) {
    places[i] = total;
    total += counts[i] + 1;
  }
  double *own = room(counts[rank]), *all = room(total);
  fill(own, rank, counts[rank]);
  if (in_place) memcpy(all + places[rank], own, sizeof(double) * (size_t)counts[rank]);
  MPI_Gatherv(in_place && rank == root ? MPI_IN_PLACE : own, counts[rank], MPI_DOUBLE, all, counts, places,
              MPI_DOUBLE, root, MPI_COMM_WORLD);
  for (int i = 0; i < ranks && rank == root; ++i) {
    expect(all + places[i], i, 0, counts[i], "gatherv");
    CHECK(all[places[i] + counts[i]] == 0, "gatherv wrote into the gap after rank %d", i);
  }
  memset(all, 0, sizeof(double) * (size_t)total);
  if (in_place) memcpy(all + places[rank], own, sizeof(double) * (size_t)counts[rank]);
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : own, counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) expect(all + places[i], i, 0, counts[i], "allgatherv");

  double* mine = room(counts[rank]);
  if (rank == root)
    for (int i = 0; i < ranks; ++i) fill(all + places[i], i + 7, counts[i]);
  if (in_place && rank == root) memcpy(mine, all + places[root], sizeof(double) * (size_t)counts[root]);
  MPI_Scatterv(all, counts, places, MPI_DOUBLE, in_place && rank == root ? MPI_IN_PLACE : mine, counts[rank],
               MPI_DOUBLE, root, MPI_COMM_WORLD);
  expect(mine, rank + 7, 0, counts[rank], "scatterv");
  free(counts);
  free(places);
  free(own);
  free(all);
  free(mine);
}

static void scatters(int count, int root, int in_place) {
  double *mine = room(count), *all = room(count * ranks);
  if (rank == root) fill(all, 3, count * ranks);
  if (in_place && rank == root) memcpy(mine, all + root * count, sizeof(double) * (size_t)count);
  MPI_Scatter(all, count, MPI_DOUBLE, in_place && rank == root ? MPI_IN_PLACE : mine, count, MPI_DOUBLE, root,
              MPI_COMM_WORLD);
  expect(mine, 3, rank * count, count, "scatter");
  free(mine);
  free(all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int counts[] = {0, 1, 17, 5000};
  for (int c = 0; c < 4; ++c)
    for (int root = 0; root < ranks; ++root) {
      broadcasts(counts[c], root);
      for (int in_place = 0; in_place < 2; ++in_place) {
        gathers(counts[c], root, in_place);
        scatters(counts[c], root, in_place);
      }
    }
  for (int root = 0; root < ranks; ++root)
    for (int in_place = 0; in_place < 2; ++in_place) gathers_of_different_sizes(root, in_place);
  MPI_Barrier(MPI_COMM_WORLD);

  // One side in a datatype of its own: what was sent as pairs arrives as single numbers.
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int numbers[4] = {rank, rank + 1, rank + 2, rank + 3};
  int* all = calloc((size_t)(4 * ranks), sizeof(int));
  MPI_Gather(numbers, 2, pair, all, 4, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 4 * ranks && rank == 0; ++i) CHECK(all[i] == i / 4 + i % 4, "pair %d is %d", i, all[i]);
  MPI_Type_free(&pair);
  free(all);
  return verdict("collectives");
}
