// ranks: 7
// Intercommunicators: making, merging, point-to-point and every collective between two groups of unequal
// size.
#include "conformance.h"

enum { left_size = 3 };  // ranks 0 to 2 on the left, the other four on the right

static int on_left(void) {
  return world_rank < left_size;
}
static int local_rank(void) {
  return on_left() ? world_rank : world_rank - left_size;
}
static int remote_size(void) {
  return on_left() ? world_size - left_size : left_size;
}
/// The world rank of remote rank `r`.
static int remote(int r) {
  return on_left() ? left_size + r : r;
}
static int remote_sum(void) {
  return on_left() ? 3 + 4 + 5 + 6 : 0 + 1 + 2;
}

static MPI_Comm make_side(void) {
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, on_left(), world_rank, &made);
  return made;
}

static MPI_Comm make_inter(void) {
  MPI_Comm side = make_side(), made;
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, on_left() ? left_size : 0, 12, &made);
  MPI_Comm_free(&side);
  return made;
}

/// The root argument when remote or local rank `root` of the left group is the root.
static int left_root(int root) {
  if (!on_left()) return root;
  return local_rank() == root ? MPI_ROOT : MPI_PROC_NULL;
}

CASE(create_and_ask) {
  MPI_Comm inter = make_inter();
  int is_inter = 0, size = 0, far = 0, rank = -1, far_size = 0;
  MPI_Group group;
  MPI_Comm_test_inter(inter, &is_inter);
  MPI_Comm_size(inter, &size);
  MPI_Comm_remote_size(inter, &far);
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_remote_group(inter, &group);
  MPI_Group_size(group, &far_size);
  CHECK_INT(1, is_inter);
  CHECK_INT(world_size - remote_size(), size);
  CHECK_INT(remote_size(), far);
  CHECK_INT(remote_size(), far_size);
  CHECK_INT(local_rank(), rank);
  MPI_Group_free(&group);
  MPI_Comm_free(&inter);
}

CASE(messages_go_to_remote_ranks) {
  MPI_Comm inter = make_inter();
  MPI_Request requests[8];
  int got[4], out = 100 + world_rank;
  for (int r = 0; r < remote_size(); ++r) MPI_Irecv(&got[r], 1, MPI_INT, r, 5, inter, &requests[r]);
  for (int r = 0; r < remote_size(); ++r) {
    MPI_Isend(&out, 1, MPI_INT, r, 5, inter, &requests[remote_size() + r]);
  }
  MPI_Status statuses[8];
  MPI_Waitall(2 * remote_size(), requests, statuses);
  for (int r = 0; r < remote_size(); ++r) {
    CHECK_INT(100 + remote(r), got[r]);
    CHECK_INT(r, statuses[r].MPI_SOURCE);
  }
  DIGEST(got, sizeof(int) * (size_t)remote_size());
  MPI_Comm_free(&inter);
}

CASE(wildcard_probe_on_an_intercommunicator) {
  MPI_Comm inter = make_inter();
  if (on_left()) {
    MPI_Send(&world_rank, 1, MPI_INT, 1, world_rank, inter);
  } else if (local_rank() == 1) {
    int seen = 0;
    for (int i = 0; i < left_size; ++i) {
      MPI_Status status;
      int got = -1;
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
      CHECK_INT(status.MPI_SOURCE, status.MPI_TAG);
      MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, inter, MPI_STATUS_IGNORE);
      CHECK_INT(status.MPI_SOURCE, got);
      seen |= 1 << got;
    }
    CHECK_INT(7, seen);
  }
  MPI_Comm_free(&inter);
}

CASE(barrier) {
  MPI_Comm inter = make_inter();
  for (int i = 0; i < 5; ++i) CHECK_OK(MPI_Barrier(inter));
  MPI_Comm_free(&inter);
}

CASE(bcast_from_every_root_of_the_left) {
  MPI_Comm inter = make_inter();
  const int counts[] = {1, 1000, 50000};
  int* values = malloc(sizeof(int) * 50000);
  for (int c = 0; c < 3; ++c) {
    if (on_left()) fill(values, counts[c], world_rank);
    CHECK_OK(MPI_Bcast(values, counts[c], MPI_INT, left_root(c), inter));
    CHECK_INT(-1, first_difference(values, counts[c], on_left() ? world_rank : c));
  }
  free(values);
  MPI_Comm_free(&inter);
}

CASE(reduce_goes_to_the_other_side) {
  MPI_Comm inter = make_inter();
  int sum = -1;
  MPI_Reduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, left_root(1), inter);
  CHECK_INT(world_rank == 1 ? 18 : -1, sum);
  MPI_Comm_free(&inter);
}

CASE(allreduce_swaps_the_sides_sums) {
  MPI_Comm inter = make_inter();
  int sum = -1;
  CHECK_OK(MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, inter));
  CHECK_INT(remote_sum(), sum);
  double* mine = malloc(sizeof(double) * 20000);
  double* got = malloc(sizeof(double) * 20000);
  for (int i = 0; i < 20000; ++i) mine[i] = world_rank + 0.5 * i;
  MPI_Allreduce(mine, got, 20000, MPI_DOUBLE, MPI_SUM, inter);
  int wrong = 0;
  for (int i = 0; i < 20000; ++i) wrong += got[i] != remote_sum() + 0.5 * i * remote_size();
  CHECK_INT(0, wrong);
  free(mine);
  free(got);
  MPI_Comm_free(&inter);
}

CASE(allgather_and_allgatherv) {
  MPI_Comm inter = make_inter();
  int got[4] = {-1, -1, -1, -1}, counts[4], places[4], mine[8], all[40];
  MPI_Allgather(&world_rank, 1, MPI_INT, got, 1, MPI_INT, inter);
  for (int r = 0; r < remote_size(); ++r) CHECK_INT(remote(r), got[r]);
  fill(mine, world_rank, world_rank);
  for (int r = 0; r < remote_size(); ++r) counts[r] = remote(r), places[r] = 8 * (remote_size() - 1 - r);
  MPI_Allgatherv(mine, world_rank, MPI_INT, all, counts, places, MPI_INT, inter);
  for (int r = 0; r < remote_size(); ++r) {
    CHECK_INT(-1, first_difference(all + places[r], counts[r], remote(r)));
  }
  MPI_Comm_free(&inter);
}

CASE(gather_and_gatherv) {
  MPI_Comm inter = make_inter();
  int got[4] = {-1, -1, -1, -1}, counts[4], places[4];
  MPI_Gather(&world_rank, 1, MPI_INT, got, 1, MPI_INT, left_root(2), inter);
  for (int r = 0; r < 4; ++r) CHECK_INT(world_rank == 2 ? 3 + r : -1, got[r]);
  for (int r = 0; r < 4; ++r) counts[r] = r % 2, places[r] = 3 - r, got[r] = -1;
  MPI_Gatherv(&world_rank, local_rank() % 2, MPI_INT, got, counts, places, MPI_INT, left_root(0), inter);
  for (int r = 0; r < 4; ++r) CHECK_INT(world_rank == 0 && r % 2 ? 3 + r : -1, got[3 - r]);
  MPI_Comm_free(&inter);
}

CASE(scatter_and_scatterv) {
  MPI_Comm inter = make_inter();
  int out[4] = {10, 11, 12, 13}, got = -1;
  MPI_Scatter(out, 1, MPI_INT, &got, 1, MPI_INT, left_root(0), inter);
  CHECK_INT(on_left() ? -1 : 10 + local_rank(), got);
  const int counts[4] = {1, 0, 1, 0}, places[4] = {3, 0, 1, 0};
  got = -1;
  MPI_Scatterv(out, counts, places, MPI_INT, &got, (local_rank() + 1) % 2, MPI_INT, left_root(1), inter);
  CHECK_INT(on_left() || local_rank() % 2 ? -1 : local_rank() == 0 ? 13 : 11, got);
  MPI_Comm_free(&inter);
}

CASE(alltoall_between_unequal_groups) {
  MPI_Comm inter = make_inter();
  int out[4], in[4], counts[4], places[4], out_v[16], in_v[16];
  for (int r = 0; r < remote_size(); ++r) out[r] = 10 * world_rank + remote(r);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
  for (int r = 0; r < remote_size(); ++r) CHECK_INT(10 * remote(r) + world_rank, in[r]);
  for (int r = 0; r < remote_size(); ++r) {
    counts[r] = (world_rank + remote(r)) % 3;
    places[r] = 4 * r;
    fill(out_v + places[r], counts[r], 10 * world_rank + remote(r));
  }
  MPI_Alltoallv(out_v, counts, places, MPI_INT, in_v, counts, places, MPI_INT, inter);
  for (int r = 0; r < remote_size(); ++r) {
    CHECK_INT(-1, first_difference(in_v + places[r], counts[r], 10 * remote(r) + world_rank));
  }
  MPI_Comm_free(&inter);
}

CASE(reduce_scatter_block_shares_the_other_sides_sum) {
  MPI_Comm inter = make_inter();
  // Both sides contribute 12 ints; each side's members share the other side's sum.
  int out[12], in[4];
  const int share = 12 / (world_size - remote_size());
  for (int i = 0; i < 12; ++i) out[i] = 100 * world_rank + i;
  MPI_Reduce_scatter_block(out, in, share, MPI_INT, MPI_SUM, inter);
  for (int i = 0; i < share; ++i) {
    CHECK_INT(100 * remote_sum() + remote_size() * (share * local_rank() + i), in[i]);
  }
  MPI_Comm_free(&inter);
}

CASE(reduce_scatter_shares_the_other_sides_sum_unevenly) {
  MPI_Comm inter = make_inter();
  // Of 12 ints: the left's members get 2, 4 and 6, the right's 0, 2, 4 and 6.
  int out[12], in[6], counts[4], before = 0;
  const int smallest = on_left() ? 2 : 0;
  for (int i = 0; i < world_size - remote_size(); ++i) counts[i] = smallest + 2 * i;
  for (int i = 0; i < local_rank(); ++i) before += counts[i];
  for (int i = 0; i < 12; ++i) out[i] = 100 * world_rank + i;
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, inter);
  for (int i = 0; i < counts[local_rank()]; ++i) {
    CHECK_INT(100 * remote_sum() + remote_size() * (before + i), in[i]);
  }
  MPI_Comm_free(&inter);
}

CASE(nonblocking_collectives_on_an_intercommunicator) {
  MPI_Comm inter = make_inter();
  // MPI_Ibcast only from root 0: from others MPICH 4.0.2 completes it without delivering anything.
  int out[4], in[4], least = -1, sum = -1, got[4], value = on_left() ? 70 + world_rank : -1;
  MPI_Request requests[6];
  for (int r = 0; r < remote_size(); ++r) out[r] = 10 * world_rank + remote(r);
  MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter, &requests[0]);
  MPI_Iallreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[1]);
  MPI_Iallgather(&world_rank, 1, MPI_INT, got, 1, MPI_INT, inter, &requests[2]);
  MPI_Ibarrier(inter, &requests[3]);
  MPI_Ireduce(&world_rank, &least, 1, MPI_INT, MPI_MIN, left_root(1), inter, &requests[4]);
  MPI_Ibcast(&value, 1, MPI_INT, left_root(0), inter, &requests[5]);
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  CHECK_INT(on_left() ? 70 + world_rank : 70, value);
  CHECK_INT(world_rank == 1 ? 3 : -1, least);
  for (int r = 0; r < remote_size(); ++r) CHECK_INT(10 * remote(r) + world_rank, in[r]);
  CHECK_INT(remote_sum(), sum);
  for (int r = 0; r < remote_size(); ++r) CHECK_INT(remote(r), got[r]);
  MPI_Comm_free(&inter);
}

CASE(merge_low_and_high) {
  for (int left_high = 0; left_high < 2; ++left_high) {
    MPI_Comm inter = make_inter(), merged;
    int rank = -1, sum = 0;
    CHECK_OK(MPI_Intercomm_merge(inter, on_left() ? left_high : !left_high, &merged));
    MPI_Comm_rank(merged, &rank);
    if (left_high) {
      CHECK_INT(on_left() ? 4 + world_rank : world_rank - left_size, rank);
    } else {
      CHECK_INT(world_rank, rank);
    }
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK_INT(21, sum);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
  }
}

CASE(dup_and_split_of_an_intercommunicator) {
  MPI_Comm inter = make_inter(), copy, part;
  int sum = -1, far = -1;
  MPI_Comm_dup(inter, &copy);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, copy);
  CHECK_INT(remote_sum(), sum);
  MPI_Comm_split(copy, local_rank() % 2, 0, &part);
  MPI_Comm_remote_size(part, &far);
  CHECK_INT(on_left() ? 2 : local_rank() % 2 ? 1 : 2, far);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, part);
  int expected = 0;
  for (int r = local_rank() % 2; r < remote_size(); r += 2) expected += remote(r);
  CHECK_INT(expected, sum);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&inter);
}

CASE(compare_and_local_group) {
  MPI_Comm inter = make_inter(), copy;
  int result = -1, size = 0;
  MPI_Group group;
  MPI_Comm_dup(inter, &copy);
  MPI_Comm_compare(inter, copy, &result);
  CHECK_INT(MPI_CONGRUENT, result);
  MPI_Comm_group(inter, &group);
  MPI_Group_size(group, &size);
  CHECK_INT(world_size - remote_size(), size);
  MPI_Group_free(&group);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&inter);
}
