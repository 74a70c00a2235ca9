// Every rank to every rank: alltoall, alltoallv, alltoallw, in place and not, with empty blocks.
#include <stdlib.h>

#include "check.h"

static int rank, ranks;

static int value(int from, int to, int i) {
  return from * 10000 + to * 100 + i;
}

static int* room(int count) {
  return calloc((size_t)count + 1, sizeof(int));
}

static void even(int count, int in_place) {
  int *out = room(count * ranks), *in = room(count * ranks);
  for (int to = 0; to < ranks; ++to)
    for (int i = 0; i < count; ++i) out[to * count + i] = in[to * count + i] = value(rank, to, i % 100);
  MPI_Alltoall(in_place ? MPI_IN_PLACE : out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
  int wrong = 0;
  for (int from = 0; from < ranks; ++from)
    for (int i = 0; i < count; ++i) wrong += in[from * count + i] != value(from, rank, i % 100);
  CHECK(wrong == 0, "alltoall of %d: %d wrong", count, wrong);
  free(out);
  free(in);
}

// from -> to carries |from - to| * 2 numbers where `in_place` (both ways alike), else (from + 2 to) % 5
static int size(int from, int to, int in_place) {
  return in_place ? 2 * abs(from - to) : (from + 2 * to) % 5;
}

static void uneven(int in_place, int many_types) {
  int* lists = calloc((size_t)(4 * ranks), sizeof(int));
  int *send_counts = lists, *send_places = lists + ranks, *counts = lists + 2 * ranks,
      *places = lists + 3 * ranks;
  int sent = 0, received = 0;
  const int unit = many_types ? (int)sizeof(int) : 1;
  for (int r = 0; r < ranks; ++r) {
    send_counts[r] = size(rank, r, in_place);
    counts[r] = size(r, rank, in_place);
    send_places[r] = sent * unit;
    places[r] = received * unit;
    sent += send_counts[r] + 1;
    received += counts[r] + 2;
  }
  int *out = room(sent), *in = room(received);
  for (int to = 0; to < ranks; ++to)
    for (int i = 0; i < send_counts[to]; ++i) {
      out[send_places[to] / unit + i] = value(rank, to, i);
      if (in_place) in[places[to] / unit + i] = value(rank, to, i);
    }
  if (many_types) {
    MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * (size_t)ranks);
    for (int r = 0; r < ranks; ++r) types[r] = MPI_INT;
    MPI_Alltoallw(in_place ? MPI_IN_PLACE : out, send_counts, send_places, types, in, counts, places, types,
                  MPI_COMM_WORLD);
    free(types);
  } else {
    MPI_Alltoallv(in_place ? MPI_IN_PLACE : out, send_counts, send_places, MPI_INT, in, counts, places,
                  MPI_INT, MPI_COMM_WORLD);
  }
  int wrong = 0;
  for (int from = 0; from < ranks; ++from)
    for (int i = 0; i < counts[from]; ++i) wrong += in[places[from] / unit + i] != value(from, rank, i);
  CHECK(wrong == 0, "alltoall%c%s: %d wrong", many_types ? 'w' : 'v', in_place ? " in place" : "", wrong);
  free(lists);
  free(out);
  free(in);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int counts[] = {0, 1, 33, 2000};
  for (int c = 0; c < 4; ++c)
    for (int in_place = 0; in_place < 2; ++in_place) even(counts[c], in_place);
  for (int in_place = 0; in_place < 2; ++in_place)
    for (int many_types = 0; many_types < 2; ++many_types) uneven(in_place, many_types);
  return verdict("alltoalls");
}
