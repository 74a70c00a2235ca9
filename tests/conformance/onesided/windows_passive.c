// ranks: 4
// Windows with passive targets: locks, atomics, flushes, and targets that compute without calling MPI.
#include "layouts.h"

/// A whole page, of which `count` ints are used: MPICH 4.0.2 confuses the parts of smaller ones where ranks
/// share memory.
enum { page = 4096 };

static MPI_Win allocate_window(int count, int** memory) {
  MPI_Win made;
  MPI_Win_allocate(page, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, memory, &made);
  for (int i = 0; i < count; ++i) (*memory)[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  return made;
}

/// What the window of this rank holds, read the way the standard asks for.
static int own_value(MPI_Win window, const int* memory, int place) {
  MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window);
  const int value = memory[place];
  MPI_Win_unlock(world_rank, window);
  return value;
}

CASE(put_then_get_under_an_exclusive_lock) {
  int *memory, got = -1;
  const int to = (world_rank + 1) % world_size, out = 40 + world_rank;
  MPI_Win window = allocate_window(2, &memory);
  CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window));
  MPI_Put(&out, 1, MPI_INT, to, 1, 1, MPI_INT, window);
  CHECK_OK(MPI_Win_unlock(to, window));
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window);
  MPI_Get(&got, 1, MPI_INT, to, 1, 1, MPI_INT, window);
  MPI_Win_unlock(to, window);
  CHECK_INT(out, got);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(40 + (world_rank + world_size - 1) % world_size, own_value(window, memory, 1));
  MPI_Win_free(&window);
}

CASE(exclusive_locks_exclude) {
  // Read, think, write back: without mutual exclusion increments would be lost.
  enum { rounds = 20 };
  int* memory;
  MPI_Win window = allocate_window(1, &memory);
  for (int i = 0; i < rounds; ++i) {
    int value = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
    MPI_Get(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
    MPI_Win_flush(2, window);
    ++value;
    MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
    MPI_Win_unlock(2, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 2) CHECK_INT(rounds * world_size, own_value(window, memory, 0));
  MPI_Win_free(&window);
}

CASE(shared_locks_accumulate_exactly) {
  int* memory;
  MPI_Win window = allocate_window(3, &memory);
  const int one = 1;
  for (int i = 0; i < 25; ++i) {
    for (int r = 0; r < world_size; ++r) {
      MPI_Win_lock(MPI_LOCK_SHARED, r, 0, window);
      MPI_Accumulate(&one, 1, MPI_INT, r, i % 3, 1, MPI_INT, MPI_SUM, window);
      MPI_Win_unlock(r, window);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(9 * world_size, own_value(window, memory, 0));
  CHECK_INT(8 * world_size, own_value(window, memory, 2));
  MPI_Win_free(&window);
}

CASE(fetch_and_op_gives_everyone_another_ticket) {
  enum { draws = 12 };
  int *memory, tickets[draws], all[8 * draws], seen[8 * draws] = {0};
  MPI_Win window = allocate_window(1, &memory);
  const int one = 1;
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < draws; ++i) {
    MPI_Fetch_and_op(&one, &tickets[i], MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    if (i > 0) CHECK(tickets[i] > tickets[i - 1]);
  }
  MPI_Win_unlock_all(window);
  MPI_Allgather(tickets, draws, MPI_INT, all, draws, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < draws * world_size; ++i) {
    CHECK(all[i] >= 0 && all[i] < draws * world_size);
    if (all[i] >= 0 && all[i] < draws * world_size) ++seen[all[i]];
  }
  for (int i = 0; i < draws * world_size; ++i) CHECK_INT(1, seen[i]);
  MPI_Win_free(&window);
}

CASE(compare_and_swap_elects_one) {
  int *memory, before = -2;
  MPI_Win window = allocate_window(1, &memory);
  const int nobody = 0, me = world_rank + 1;
  MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, window);
  CHECK_OK(MPI_Compare_and_swap(&me, &nobody, &before, MPI_INT, 3, 0, window));
  MPI_Win_unlock(3, window);
  MPI_Barrier(MPI_COMM_WORLD);
  int winner = own_value(window, memory, 0), won = before == 0, winners = 0;
  MPI_Bcast(&winner, 1, MPI_INT, 3, MPI_COMM_WORLD);
  MPI_Allreduce(&won, &winners, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK_INT(1, winners);
  CHECK_INT(won ? 0 : winner, before);
  CHECK_INT(won, winner == me);
  MPI_Win_free(&window);
}

CASE(spin_lock_made_of_compare_and_swap) {
  // The counter itself is moved by plain Put and Get, guarded by a lock word.
  int* memory;
  MPI_Win window = allocate_window(2, &memory);
  const int taken = 1, open = 0;
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 5; ++i) {
    int before = 1, value = -1, ignored;
    while (before != 0) {
      MPI_Compare_and_swap(&taken, &open, &before, MPI_INT, 1, 0, window);
      MPI_Win_flush(1, window);
    }
    MPI_Get(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    MPI_Win_flush(1, window);
    ++value;
    MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    MPI_Win_flush(1, window);
    MPI_Fetch_and_op(&open, &ignored, MPI_INT, 1, 0, MPI_REPLACE, window);
    MPI_Win_flush(1, window);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 1) CHECK_INT(5 * world_size, own_value(window, memory, 1));
  MPI_Win_free(&window);
}

CASE(get_accumulate_with_no_op_reads) {
  int *memory, got[2] = {-1, -1};
  MPI_Win window = allocate_window(2, &memory);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, window);
  memory[0] = 60 + world_rank;
  memory[1] = 70 + world_rank;
  MPI_Win_unlock(world_rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  const int from = (world_rank + 2) % world_size;
  MPI_Win_lock(MPI_LOCK_SHARED, from, 0, window);
  MPI_Get_accumulate(NULL, 0, MPI_INT, got, 2, MPI_INT, from, 0, 2, MPI_INT, MPI_NO_OP, window);
  MPI_Win_unlock(from, window);
  CHECK_INT(60 + from, got[0]);
  CHECK_INT(70 + from, got[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

CASE(lock_all_flush_local_and_sync) {
  int* memory;
  MPI_Win window = allocate_window(4, &memory);
  MPI_Win_lock_all(0, window);
  int out = 0;
  for (int r = 0; r < world_size; ++r) {
    out = 10 * world_rank + r;
    MPI_Put(&out, 1, MPI_INT, r, world_rank, 1, MPI_INT, window);
    CHECK_OK(MPI_Win_flush_local(r, window));  // `out` may be used again
  }
  CHECK_OK(MPI_Win_flush_all(window));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(MPI_Win_sync(window));
  for (int r = 0; r < world_size; ++r) CHECK_INT(10 * r + world_rank, memory[r]);
  CHECK_OK(MPI_Win_flush_local_all(window));
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

CASE(request_based_operations) {
  int *memory, got = -1, before = -1;
  MPI_Win window = allocate_window(2, &memory);
  const int to = (world_rank + 1) % world_size, out = 5 + world_rank, add = 100;
  MPI_Request request;
  MPI_Win_lock_all(0, window);
  CHECK_OK(MPI_Rput(&out, 1, MPI_INT, to, 0, 1, MPI_INT, window, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(to, window);
  CHECK_OK(MPI_Raccumulate(&add, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, window, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(to, window);
  CHECK_OK(MPI_Rget(&got, 1, MPI_INT, to, 0, 1, MPI_INT, window, &request));
  for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  CHECK_INT(105 + world_rank, got);
  MPI_Rget_accumulate(&add, 1, MPI_INT, &before, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_REPLACE, window,
                      &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(105 + world_rank, before);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(100, own_value(window, memory, 0));
  MPI_Win_free(&window);
}

CASE(derived_types_on_both_sides) {
  int *memory, out[12], in[12];
  MPI_Win window = allocate_window(12, &memory);
  MPI_Datatype two_apart = make_column_type(6, 2), blocks;
  MPI_Type_vector(3, 2, 4, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  const int to = (world_rank + 3) % world_size;
  for (int i = 0; i < 12; ++i) out[i] = 100 * world_rank + i, in[i] = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
  MPI_Put(out, 1, two_apart, to, 0, 1, blocks, window);
  MPI_Win_unlock(to, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window);
  MPI_Accumulate(out, 1, two_apart, to, 0, 1, blocks, MPI_SUM, window);
  MPI_Win_flush(to, window);
  MPI_Get(in, 1, blocks, to, 0, 1, two_apart, window);
  MPI_Win_unlock(to, window);
  MPI_Barrier(MPI_COMM_WORLD);
  const int from = (world_rank + 1) % world_size;
  MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window);
  for (int i = 0; i < 12; ++i) {
    const int k = i / 4 * 2 + i % 4;  // the how manieth element of `blocks` lies at i
    CHECK_INT(i % 4 < 2 ? 2 * (100 * from + 2 * k) : 0, memory[i]);
  }
  for (int i = 0; i < 6; ++i) {
    const int place = 2 * i, k = place / 4 * 2 + place % 4;
    CHECK_INT(place % 4 < 2 ? 2 * (100 * world_rank + 2 * k) : 0, in[i / 2 * 4 + i % 2]);
  }
  MPI_Win_unlock(world_rank, window);
  MPI_Type_free(&blocks);
  MPI_Type_free(&two_apart);
  MPI_Win_free(&window);
}

CASE(target_computes_without_calling_mpi) {
  int* memory;
  MPI_Win window = allocate_window(4, &memory);
  if (world_rank == 0) {
    volatile double x = 1.0;
    for (int i = 0; i < 2000000; ++i) x = x * 1.0000001;
    CHECK(x > 1.0);
  } else {
    const int out = 300 + world_rank;
    int got = -1;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Put(&out, 1, MPI_INT, 0, world_rank, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    MPI_Get(&got, 1, MPI_INT, 0, world_rank, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    CHECK_INT(out, got);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int r = 1; r < world_size && world_rank == 0; ++r) CHECK_INT(300 + r, own_value(window, memory, r));
  MPI_Win_free(&window);
}

CASE(target_blocked_in_a_receive_still_serves) {
  int* memory;
  MPI_Win window = allocate_window(1, &memory);
  if (world_rank == 0) {
    int token = 0;
    MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(88, token);
  } else if (world_rank == 1) {
    const int out = 88;
    int got = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&out, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Send(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) CHECK_INT(88, own_value(window, memory, 0));
  MPI_Win_free(&window);
}

CASE(accumulates_of_one_origin_keep_their_order) {
  int* memory;
  MPI_Win window = allocate_window(4, &memory);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 10; ++i) {
    MPI_Accumulate(&i, 1, MPI_INT, (world_rank + 1) % world_size, 0, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush_local((world_rank + 1) % world_size, window);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_INT(9, own_value(window, memory, 0));
  MPI_Win_free(&window);
}
