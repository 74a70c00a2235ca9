// ranks: 6
// Post, start, complete and wait among some of a window's members.
#include "conformance.h"

static MPI_Group group_of(int count, const int* ranks) {
  MPI_Group world, made;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, ranks, &made);
  MPI_Group_free(&world);
  return made;
}

static _Alignas(64) int memory[64];

static MPI_Win cleared_window(void) {
  MPI_Win made;
  for (int i = 0; i < 64; ++i) memory[i] = -1;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  return made;
}

CASE(pairs_exchange_while_others_do_nothing) {
  MPI_Win window = cleared_window();
  if (world_rank < 4) {
    const int other = world_rank ^ 1;
    MPI_Group pair = group_of(1, &other);
    const int out = 30 + world_rank;
    int in = -1;
    CHECK_OK(MPI_Win_post(pair, 0, window));
    CHECK_OK(MPI_Win_start(pair, 0, window));
    MPI_Put(&out, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    CHECK_OK(MPI_Win_complete(window));
    CHECK_OK(MPI_Win_wait(window));
    CHECK_INT(30 + other, memory[0]);
    CHECK_OK(MPI_Win_post(pair, 0, window));
    CHECK_OK(MPI_Win_start(pair, 0, window));
    MPI_Get(&in, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    CHECK_OK(MPI_Win_complete(window));
    CHECK_OK(MPI_Win_wait(window));
    CHECK_INT(out, in);
    MPI_Group_free(&pair);
  } else {
    CHECK_INT(-1, memory[0]);
  }
  MPI_Win_free(&window);
}

CASE(one_origin_many_targets) {
  MPI_Win window = cleared_window();
  const int targets[4] = {5, 1, 3, 2}, origin[1] = {0};
  if (world_rank == 0) {
    MPI_Group group = group_of(4, targets);
    int out[4];
    MPI_Win_start(group, 0, window);
    for (int i = 0; i < 4; ++i) {
      out[i] = 70 + targets[i];
      MPI_Put(&out[i], 1, MPI_INT, targets[i], i, 1, MPI_INT, window);
    }
    MPI_Win_complete(window);
    MPI_Group_free(&group);
  } else if (world_rank != 4) {
    MPI_Group group = group_of(1, origin);
    MPI_Win_post(group, 0, window);
    MPI_Win_wait(window);
    int found = 0;
    for (int i = 0; i < 4; ++i) {
      if (targets[i] == world_rank) CHECK_INT(70 + world_rank, memory[i]);
      found += memory[i] != -1;
    }
    CHECK_INT(1, found);
    MPI_Group_free(&group);
  }
  MPI_Win_free(&window);
}

CASE(halves_on_one_window) {
  MPI_Win window = cleared_window();
  const int low[3] = {0, 1, 2}, high[3] = {3, 4, 5};
  const int* own = world_rank < 3 ? low : high;
  MPI_Group group = group_of(3, own);
  for (int round = 0; round < 4; ++round) {
    int out[3];
    MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    for (int i = 0; i < 3; ++i) {
      out[i] = 100 * round + world_rank;
      MPI_Put(&out[i], 1, MPI_INT, own[i], world_rank, 1, MPI_INT, window);
    }
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    for (int r = 0; r < 6; ++r) CHECK_INT(r / 3 == world_rank / 3 ? 100 * round + r : -1, memory[r]);
  }
  MPI_Group_free(&group);
  MPI_Win_free(&window);
}

CASE(empty_groups) {
  MPI_Win window = cleared_window();
  int done = 0;
  CHECK_OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, window));
  CHECK_OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, window));
  CHECK_OK(MPI_Win_complete(window));
  CHECK_OK(MPI_Win_test(window, &done));
  CHECK_INT(1, done);
  MPI_Win_free(&window);
}

CASE(a_post_that_the_program_has_announced_itself) {
  MPI_Win window = cleared_window();
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Group to = group_of(1, &right), from = group_of(1, &left);
  MPI_Win_post(from, MPI_MODE_NOCHECK, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_start(to, MPI_MODE_NOCHECK, window);
  MPI_Put(&world_rank, 1, MPI_INT, right, 7, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  CHECK_INT(left, memory[7]);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&window);
}

CASE(targets_test_while_they_work) {
  MPI_Win window = cleared_window();
  const int target = 2, origins[5] = {0, 1, 3, 4, 5};
  if (world_rank == target) {
    MPI_Group group = group_of(5, origins);
    for (int round = 0; round < 3; ++round) {
      int done = 0, sum = 0;
      MPI_Win_post(group, 0, window);
      while (!done) CHECK_OK(MPI_Win_test(window, &done));
      for (int i = 0; i < 5; ++i) sum += memory[origins[i]];
      CHECK_INT(13 + 5 * 10 * round, sum);
    }
    MPI_Group_free(&group);
  } else {
    MPI_Group group = group_of(1, &target);
    for (int round = 0; round < 3; ++round) {
      const int out = world_rank + 10 * round;
      MPI_Win_start(group, 0, window);
      MPI_Put(&out, 1, MPI_INT, target, world_rank, 1, MPI_INT, window);
      MPI_Win_complete(window);
    }
    MPI_Group_free(&group);
  }
  MPI_Win_free(&window);
}

CASE(exposed_and_locked_at_once) {
  // The epoch of those who access is another than that of those who expose.
  MPI_Win window = cleared_window();
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Group to = group_of(1, &right), from = group_of(1, &left);
  MPI_Win_post(from, 0, window);
  MPI_Win_start(to, 0, window);
  MPI_Put(&world_rank, 1, MPI_INT, right, 3, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Put(&world_rank, 1, MPI_INT, right, 4, 1, MPI_INT, window);
  MPI_Win_unlock(right, window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(left, memory[3]);
  CHECK_INT(left, memory[4]);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&window);
}
