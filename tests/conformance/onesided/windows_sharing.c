// ranks: 4
// varies: a_flag_in_memory_is_waited_for: a rank that spins on memory goes on when it really sees the store
// one host
// Ranks of one host that share a window's memory, and read and write it without calling MPI.
#include "conformance.h"

static int right(void) {
  return (world_rank + 1) % world_size;
}
static int left(void) {
  return (world_rank + world_size - 1) % world_size;
}

static MPI_Win shared_window(MPI_Aint bytes, int** mine) {
  MPI_Win made;
  MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, mine, &made);
  return made;
}

CASE(ranks_of_a_host_find_each_other) {
  MPI_Comm node;
  int size = 0, rank = -1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -world_rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &size);
  MPI_Comm_rank(node, &rank);
  CHECK_INT(world_size, size);
  CHECK_INT(world_size - 1 - world_rank, rank);
  MPI_Comm_free(&node);
}

CASE(parts_follow_each_other) {
  int *mine = NULL, *first = NULL, unit = 0;
  MPI_Aint size = 0;
  MPI_Win window = shared_window((MPI_Aint)sizeof(int) * (world_rank + 1), &mine);
  CHECK_OK(MPI_Win_shared_query(window, 0, &size, &unit, &first));
  CHECK_INT(sizeof(int), size);
  CHECK_INT(sizeof(int), unit);
  CHECK_INT(world_rank * (world_rank + 1) / 2, mine - first);
  for (int r = 0; r < world_size; ++r) {
    int* base = NULL;
    MPI_Win_shared_query(window, r, &size, &unit, &base);
    CHECK_INT(r * (r + 1) / 2, base - first);
    CHECK_INT((MPI_Aint)sizeof(int) * (r + 1), size);
  }
  MPI_Win_free(&window);
}

CASE(stores_are_seen_by_loads) {
  int *mine = NULL, *other = NULL, unit = 0;
  MPI_Aint size = 0;
  MPI_Win window = shared_window(1024 * sizeof(int), &mine);
  MPI_Win_shared_query(window, right(), &size, &unit, &other);
  MPI_Win_fence(0, window);
  fill(other, 1024, world_rank);
  MPI_Win_fence(0, window);
  CHECK_INT(-1, first_difference(mine, 1024, left()));
  MPI_Win_free(&window);
}

CASE(one_rank_has_all_of_it) {
  int *mine = NULL, *all = NULL, unit = 0;
  MPI_Aint size = 0;
  MPI_Win window = shared_window(world_rank == 2 ? 64 * (MPI_Aint)sizeof(int) : 0, &mine);
  CHECK_OK(MPI_Win_shared_query(window, MPI_PROC_NULL, &size, &unit, &all));
  CHECK_INT(64 * sizeof(int), size);
  if (world_rank == 2) CHECK(all == mine);
  MPI_Win_fence(0, window);
  all[world_rank] = 90 + world_rank;
  MPI_Win_fence(0, window);
  for (int r = 0; r < world_size; ++r) CHECK_INT(90 + r, all[r]);
  MPI_Win_free(&window);
}

CASE(accesses_reach_the_same_memory) {
  int *mine = NULL, got = -1, before = -1;
  const int ten = 10;
  MPI_Win window = shared_window(64 * sizeof(int), &mine);
  mine[0] = 7 + world_rank;
  mine[1] = 0;
  MPI_Win_fence(0, window);
  MPI_Get(&got, 1, MPI_INT, right(), 0, 1, MPI_INT, window);
  MPI_Accumulate(&ten, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK_INT(7 + right(), got);
  CHECK_INT(world_rank == 1 ? 10 * world_size : 0, mine[1]);
  MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, window);
  MPI_Fetch_and_op(&ten, &before, MPI_INT, right(), 0, MPI_REPLACE, window);
  MPI_Win_unlock(right(), window);
  CHECK_INT(7 + right(), before);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(10, mine[0]);
  MPI_Win_free(&window);
}

CASE(a_flag_in_memory_is_waited_for) {
  // The token goes round once, through memory alone.
  int *mine = NULL, *next = NULL, unit = 0;
  MPI_Aint size = 0;
  MPI_Win window = shared_window(16 * sizeof(int), &mine);
  MPI_Win_shared_query(window, right(), &size, &unit, &next);
  mine[0] = 0;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) {
    next[0] = 1;
    MPI_Win_sync(window);
  }
  while (*(volatile int*)mine == 0) MPI_Win_sync(window);
  if (world_rank > 0) {
    next[0] = mine[0] + 1;
    MPI_Win_sync(window);
  }
  CHECK_INT(world_rank == 0 ? world_size : world_rank, mine[0]);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

CASE(parts_that_need_not_follow_each_other) {
  MPI_Info info;
  MPI_Win window;
  int *mine = NULL, *other = NULL, unit = 0, found = 0, *flavour = NULL;
  MPI_Aint size = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  CHECK_OK(MPI_Win_allocate_shared(100 * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &mine, &window));
  MPI_Info_free(&info);
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavour, &found);
  CHECK(found && *flavour == MPI_WIN_FLAVOR_SHARED);
  MPI_Win_fence(0, window);
  fill(mine, 100, world_rank);
  MPI_Win_fence(0, window);
  MPI_Win_shared_query(window, left(), &size, &unit, &other);
  CHECK_INT(100 * sizeof(int), size);
  CHECK_INT(-1, first_difference(other, 100, left()));
  MPI_Win_free(&window);
}
