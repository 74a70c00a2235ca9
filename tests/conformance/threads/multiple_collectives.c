// Threads of a rank in collectives on communicators of their own, making communicators, and in partitioned
// messages, at once.
// ranks: 3
#include "several_threads.h"

static MPI_Comm comms[most_threads];
static int got[most_threads][64];

static void make_comms(int threads) {
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
}
static void free_comms(int threads) {
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
}

static void sum_up(int thread) {
  for (int i = 0; i < 10; ++i) {
    const int mine = (thread + 1) * (world_rank + 1) + i;
    MPI_Allreduce(&mine, &got[thread][i], 1, MPI_INT, MPI_SUM, comms[thread]);
  }
}

CASE(allreduce_on_communicators_of_their_own) {
  make_comms(4);
  in_threads(4, sum_up);
  free_comms(4);
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 10; ++i) CHECK_INT(6 * (thread + 1) + 3 * i, got[thread][i]);
  DIGEST(got, sizeof got);
}

/// The threads of one rank come in another order than those of the next.
static void barriers_in_another_order(int thread) {
  const int mine = (thread + world_rank) % 4;
  for (int i = 0; i < 5; ++i) {
    MPI_Barrier(comms[mine]);
    got[mine][i] = i;
    MPI_Bcast(&got[mine][i], 1, MPI_INT, i % world_size, comms[mine]);
  }
}

CASE(barriers_whose_threads_have_other_numbers) {
  make_comms(4);
  in_threads(4, barriers_in_another_order);
  free_comms(4);
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 5; ++i) CHECK_INT(i, got[thread][i]);
}

static void different_collectives(int thread) {
  int out[8], *in = got[thread];
  for (int i = 0; i < 8; ++i) out[i] = 100 * world_rank + 10 * thread + i;
  switch (thread) {
    case 0:
      MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, comms[thread]);
      break;
    case 1:
      MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comms[thread]);
      break;
    case 2:
      MPI_Scan(out, in, 4, MPI_INT, MPI_SUM, comms[thread]);
      break;
    case 3:
      MPI_Reduce(out, in, 4, MPI_INT, MPI_MAX, 1, comms[thread]);
      break;
    case 4:
      MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 2, comms[thread]);
      break;
    default:
      MPI_Scatter(got[7], 2, MPI_INT, in, 2, MPI_INT, 0, comms[thread]);
  }
}

CASE(different_collectives_at_once) {
  memset(got, 0, sizeof got);
  fill(got[7], 6, 3);
  make_comms(6);
  in_threads(6, different_collectives);
  free_comms(6);
  for (int i = 0; i < 6; ++i) CHECK_INT(100 * (i / 2) + i % 2, got[0][i]);
  for (int i = 0; i < 6; ++i) CHECK_INT(100 * (i / 2) + 10 + 2 * world_rank + i % 2, got[1][i]);
  CHECK_INT(got[7][2 * 0], got[7][0]);
  DIGEST(got, sizeof got);
}

static void nonblocking_collectives(int thread) {
  MPI_Request requests[3];
  int sums[3];
  for (int i = 0; i < 3; ++i)
    MPI_Iallreduce(&world_rank, &sums[i], 1, MPI_INT, MPI_SUM, comms[thread], &requests[i]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  got[thread][0] = sums[0] + sums[1] + sums[2];
}

CASE(nonblocking_collectives_at_once) {
  make_comms(4);
  in_threads(4, nonblocking_collectives);
  free_comms(4);
  for (int thread = 0; thread < 4; ++thread) CHECK_INT(9, got[thread][0]);
}

/// Each thread makes communicators of its own and uses them.
static void make_and_use(int thread) {
  for (int i = 0; i < 3; ++i) {
    MPI_Comm made, half;
    int sum = -1, rank = -1;
    MPI_Comm_dup(comms[thread], &made);
    MPI_Comm_split(made, world_rank % 2, -world_rank, &half);
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_rank(half, &rank);
    got[thread][2 * i] = sum;
    got[thread][2 * i + 1] = rank;
    MPI_Comm_free(&half);
    MPI_Comm_free(&made);
  }
}

CASE(threads_make_communicators) {
  make_comms(4);
  in_threads(4, make_and_use);
  free_comms(4);
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 3; ++i) {
      CHECK_INT(3, got[thread][2 * i]);
      CHECK_INT(world_rank == 0 ? 1 : 0, got[thread][2 * i + 1]);
    }
}

static void make_of_groups(int thread) {
  MPI_Group world, pair;
  MPI_Comm made;
  const int members[2] = {thread % 3, (thread + 1) % 3};
  int sum = -1;
  if (world_rank != members[0] && world_rank != members[1]) return;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, members, &pair);
  MPI_Comm_create_group(MPI_COMM_WORLD, pair, 40 + thread, &made);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, made);
  got[thread][0] = sum;
  MPI_Comm_free(&made);
  MPI_Group_free(&pair);
  MPI_Group_free(&world);
}

CASE(threads_make_communicators_of_groups) {
  in_threads(3, make_of_groups);
  for (int thread = 0; thread < 3; ++thread)
    if (world_rank == thread || world_rank == (thread + 1) % 3)
      CHECK_INT(thread + (thread + 1) % 3, got[thread][0]);
}

enum { partitions = 4 };
static MPI_Request sending;
static int parts_out[partitions * 10], parts_in[partitions * 10];

static void ready_a_partition(int thread) {
  fill(parts_out + 10 * thread, 10, world_rank + thread);
  MPI_Pready(thread, sending);
}

#if MPI_VERSION >= 4
CASE(threads_make_partitions_ready) {
  MPI_Request receiving;
  MPI_Psend_init(parts_out, partitions, 10, MPI_INT, right(), 4, MPI_COMM_WORLD, MPI_INFO_NULL, &sending);
  MPI_Precv_init(parts_in, partitions, 10, MPI_INT, left(), 4, MPI_COMM_WORLD, MPI_INFO_NULL, &receiving);
  for (int round = 0; round < 3; ++round) {
    memset(parts_in, 0, sizeof parts_in);
    MPI_Start(&receiving);
    MPI_Start(&sending);
    in_threads(partitions, ready_a_partition);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    for (int i = 0; i < partitions; ++i) CHECK_INT(-1, first_difference(parts_in + 10 * i, 10, left() + i));
  }
  MPI_Request_free(&sending);
  MPI_Request_free(&receiving);
}
#endif

/// Some threads are in collectives while others exchange messages on the same communicator's ranks.
static void collectives_and_messages(int thread) {
  for (int i = 0; i < 6; ++i) {
    if (thread % 2 == 0)
      MPI_Allreduce(&i, &got[thread][i], 1, MPI_INT, MPI_SUM, comms[thread]);
    else
      MPI_Sendrecv(&i, 1, MPI_INT, left(), thread, &got[thread][i], 1, MPI_INT, right(), thread, comms[0],
                   MPI_STATUS_IGNORE);
  }
}

CASE(collectives_beside_messages) {
  make_comms(6);
  in_threads(6, collectives_and_messages);
  free_comms(6);
  for (int thread = 0; thread < 6; ++thread)
    for (int i = 0; i < 6; ++i) CHECK_INT(thread % 2 == 0 ? 3 * i : i, got[thread][i]);
}
