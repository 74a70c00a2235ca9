// ranks: 8
// Many ranks at one place: locks that exclude, and accesses that change memory in one step.
#include "conformance.h"

enum { page = 4096, target = 3 };

/// A page for each rank, all zeros. MPICH 4.0.2 confuses the parts of smaller ones.
static MPI_Win zeroed_window(void** memory) {
  MPI_Win made;
  MPI_Win_allocate(page, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, &made);
  memset(*memory, 0, page);
  MPI_Barrier(MPI_COMM_WORLD);
  return made;
}

static int64_t value_at(MPI_Win window, int rank, int place) {
  int64_t value = -1;
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  MPI_Get(&value, 1, MPI_INT64_T, rank, place, 1, MPI_INT64_T, window);
  MPI_Win_unlock(rank, window);
  return value;
}

CASE(exclusive_locks_count) {
  enum { rounds = 12 };
  int64_t* memory;
  MPI_Win window = zeroed_window((void**)&memory);
  for (int i = 0; i < rounds; ++i) {
    int64_t value = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    MPI_Get(&value, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, window);
    MPI_Win_flush(target, window);
    ++value;
    MPI_Put(&value, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, window);
    MPI_Win_unlock(target, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(rounds * world_size, value_at(window, target, 1));
  MPI_Win_free(&window);
}

CASE(fetch_and_op_counts) {
  enum { rounds = 20 };
  int64_t *memory, before = -1, last = -1;
  const int64_t one = 1;
  MPI_Win window = zeroed_window((void**)&memory);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < rounds; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, 2, MPI_SUM, window);
    MPI_Win_flush(target, window);
    CHECK(before > last && before < rounds * world_size);
    last = before;
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(rounds * world_size, value_at(window, target, 2));
  MPI_Win_free(&window);
}

CASE(compare_and_swap_counts) {
  enum { rounds = 6 };
  int64_t* memory;
  MPI_Win window = zeroed_window((void**)&memory);
  MPI_Win_lock_all(0, window);
  int64_t seen = 0;
  for (int i = 0; i < rounds; ++i) {
    int64_t found = -1;
    while (found != seen) {
      if (found >= 0) seen = found;
      const int64_t next = seen + 1;
      MPI_Compare_and_swap(&next, &seen, &found, MPI_INT64_T, target, 0, window);
      MPI_Win_flush(target, window);
    }
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(rounds * world_size, value_at(window, target, 0));
  MPI_Win_free(&window);
}

CASE(get_accumulate_hands_out_blocks) {
  int64_t *memory, before[4] = {-1, -1, -1, -1};
  const int64_t add[4] = {1, 10, 100, 1000};
  MPI_Win window = zeroed_window((void**)&memory);
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
  MPI_Get_accumulate(add, 4, MPI_INT64_T, before, 4, MPI_INT64_T, target, 8, 4, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_unlock(target, window);
  CHECK(before[0] >= 0 && before[0] < world_size);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(world_size, value_at(window, target, 8));
  CHECK_INT(1000 * world_size, value_at(window, target, 11));
  MPI_Win_free(&window);
}

CASE(readers_never_see_half_of_a_change) {
  // Whoever writes changes two words under an exclusive lock; whoever reads finds them equal.
  int64_t* memory;
  MPI_Win window = zeroed_window((void**)&memory);
  for (int i = 0; i < 8; ++i) {
    int64_t both[2] = {-1, -2};
    if (world_rank % 2 == 0) {
      const int64_t mine[2] = {100 * world_rank + i, 100 * world_rank + i};
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
      MPI_Put(mine, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, window);
      MPI_Win_flush(target, window);
      MPI_Put(mine + 1, 1, MPI_INT64_T, target, 256, 1, MPI_INT64_T, window);
      MPI_Win_unlock(target, window);
    } else {
      MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
      MPI_Get(both, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, window);
      MPI_Get(both + 1, 1, MPI_INT64_T, target, 256, 1, MPI_INT64_T, window);
      MPI_Win_unlock(target, window);
      CHECK_INT(both[0], both[1]);
    }
  }
  MPI_Win_free(&window);
}

CASE(everyone_adds_at_everyone) {
  enum { rounds = 5 };
  int64_t* memory;
  const int64_t mine = 1 + world_rank;
  MPI_Win window = zeroed_window((void**)&memory);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < rounds; ++i)
    for (int r = 0; r < world_size; ++r)
      MPI_Accumulate(&mine, 1, MPI_INT64_T, r, i, 1, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < rounds; ++i)
    CHECK_INT(world_size * (world_size + 1) / 2, value_at(window, world_rank, i));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

CASE(locks_of_several_targets_at_once) {
  int64_t* memory;
  MPI_Win window = zeroed_window((void**)&memory);
  // Always in ascending order, so that nobody waits in a circle.
  const int first = world_rank % 4, second = first + 4;
  int64_t a = -1, b = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, first, 0, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, second, 0, window);
  MPI_Get(&a, 1, MPI_INT64_T, first, 0, 1, MPI_INT64_T, window);
  MPI_Get(&b, 1, MPI_INT64_T, second, 0, 1, MPI_INT64_T, window);
  MPI_Win_flush_all(window);
  CHECK_INT(a, b);
  ++a, ++b;
  MPI_Put(&a, 1, MPI_INT64_T, first, 0, 1, MPI_INT64_T, window);
  MPI_Put(&b, 1, MPI_INT64_T, second, 0, 1, MPI_INT64_T, window);
  MPI_Win_unlock(second, window);
  MPI_Win_unlock(first, window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(2, value_at(window, world_rank, 0));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
}
