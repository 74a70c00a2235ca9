// Communicators made in every way: their messages stay apart, and ranks mean their own members.
#include <stdlib.h>

#include "check.h"

static int rank, ranks;

// Every member sends its world rank to its right neighbour; everybody knows who that must be.
static void ring_in(MPI_Comm comm, const char* what) {
  int me, size, from_left = -1;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  int* world = malloc(sizeof(int) * (size_t)size);
  MPI_Allgather(&rank, 1, MPI_INT, world, 1, MPI_INT, comm);
  MPI_Status status;
  MPI_Sendrecv(&rank, 1, MPI_INT, (me + 1) % size, 9, &from_left, 1, MPI_INT, MPI_ANY_SOURCE, 9, comm,
               &status);
  const int left = (me + size - 1) % size;
  CHECK(from_left == world[left] && status.MPI_SOURCE == left, "%s: got %d from %d", what, from_left,
        status.MPI_SOURCE);
  CHECK(world[me] == rank, "%s: member %d is rank %d", what, me, world[me]);
  free(world);
}

static void duplicates(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  ring_in(copy, "dup");
  // The same envelope in two communicators.
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int in_world = 1, in_copy = 2, got[2] = {0, 0};
  MPI_Request requests[4];
  MPI_Isend(&in_world, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&in_copy, 1, MPI_INT, right, 0, copy, &requests[1]);
  MPI_Irecv(&got[1], 1, MPI_INT, left, 0, copy, &requests[2]);
  MPI_Irecv(&got[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(got[0] == 1 && got[1] == 2, "messages of two communicators: %d %d", got[0], got[1]);
  MPI_Comm_free(&copy);
  for (int i = 0; i < 20; ++i) {  // handles are used again
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    ring_in(copy, "dup again");
    MPI_Comm_free(&copy);
  }
}

static void halves(void) {
  MPI_Comm half, part;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  int me, size;
  MPI_Comm_rank(half, &me);
  MPI_Comm_size(half, &size);
  CHECK(size == (ranks + 1 - rank % 2) / 2, "half of %d", size);
  ring_in(half, "split");
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  int expected = 0;
  for (int r = rank % 2; r < ranks; r += 2) expected += r;
  CHECK(sum == expected, "sum %d, not %d", sum, expected);
  MPI_Comm_split(half, me == 0 ? MPI_UNDEFINED : 1, 0, &part);  // of a communicator that is not the world
  if (me == 0)
    CHECK(part == MPI_COMM_NULL, "nobody's colour");
  else
    ring_in(part, "split of a split");
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  MPI_Comm_free(&half);
}

static void groups(void) {
  MPI_Group world, all_but_first;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int first = 0;
  MPI_Group_excl(world, 1, &first, &all_but_first);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, all_but_first, &comm);
  CHECK((comm == MPI_COMM_NULL) == (rank == 0), "comm_create");
  if (comm != MPI_COMM_NULL) {
    ring_in(comm, "create");
    MPI_Comm_free(&comm);
  }
  for (int i = 0; i < 2 && rank != 0; ++i) {
    MPI_Comm_create_group(MPI_COMM_WORLD, all_but_first, 3, &comm);
    ring_in(comm, "create_group");
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&all_but_first);
}

static void topologies(void) {
  int sizes[2] = {0, 0};
  const int periods[2] = {1, 1}, keep[2] = {1, 0};
  MPI_Dims_create(ranks, 2, sizes);
  MPI_Comm grid, column;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
  int from, to, got = -1;
  MPI_Cart_shift(grid, 0, 1, &from, &to);
  MPI_Sendrecv(&rank, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, grid, MPI_STATUS_IGNORE);
  CHECK(got == from, "shifted from %d: %d", from, got);
  MPI_Cart_sub(grid, keep, &column);
  ring_in(column, "cart_sub");
  MPI_Comm_free(&column);
  MPI_Comm_free(&grid);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &grid);
  ring_in(grid, "dist_graph");
  MPI_Comm_free(&grid);
}

static void self(void) {
  int sent = 4, got = 0, sum = 0;
  MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  CHECK(got == 4 && sum == 4, "alone: %d %d", got, sum);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  ring_in(copy, "dup of self");
  MPI_Comm_free(&copy);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  duplicates();
  halves();
  groups();
  topologies();
  self();
  MPI_Comm shared;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  ring_in(shared, "split_type");
  MPI_Comm_free(&shared);
  return verdict("communicators");
}
