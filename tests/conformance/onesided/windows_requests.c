// ranks: 4
// Accesses with requests: completed singly, together with messages, or by a flush. (MPICH 4.0.2 does not let
// them be freed.)
#include "conformance.h"

enum { page = 4096 };

static MPI_Win numbered_window(int** memory) {
  MPI_Win made;
  MPI_Win_allocate(page, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, memory, &made);
  for (int i = 0; i < 64; ++i) (*memory)[i] = 1000 * world_rank + i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, made);
  return made;
}

static void free_window(MPI_Win* window) {
  MPI_Win_unlock_all(*window);
  MPI_Win_free(window);
}

static int right(void) {
  return (world_rank + 1) % world_size;
}
static int left(void) {
  return (world_rank + world_size - 1) % world_size;
}

CASE(gets_waited_for_in_the_other_direction) {
  int *memory, got[16];
  MPI_Request requests[16];
  MPI_Win window = numbered_window(&memory);
  for (int i = 0; i < 16; ++i)
    MPI_Rget(&got[i], 1, MPI_INT, right(), 2 * i, 1, MPI_INT, window, &requests[i]);
  for (int i = 15; i >= 0; --i) {
    CHECK_OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    CHECK_SAME(MPI_REQUEST_NULL, requests[i]);
    CHECK_INT(1000 * right() + 2 * i, got[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free_window(&window);
}

CASE(together_with_messages_in_one_waitall) {
  int *memory, got[2] = {-1, -1}, token = -1;
  const int out = 77 + world_rank;
  MPI_Request requests[4];
  MPI_Win window = numbered_window(&memory);
  MPI_Irecv(&token, 1, MPI_INT, left(), 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Rget(got, 2, MPI_INT, right(), 10, 2, MPI_INT, window, &requests[1]);
  MPI_Isend(&world_rank, 1, MPI_INT, right(), 4, MPI_COMM_WORLD, &requests[2]);
  MPI_Rput(&out, 1, MPI_INT, right(), 40, 1, MPI_INT, window, &requests[3]);
  CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  CHECK_INT(left(), token);
  CHECK_INT(1000 * right() + 10, got[0]);
  CHECK_INT(1000 * right() + 11, got[1]);
  MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  CHECK_INT(77 + left(), memory[40]);
  free_window(&window);
}

CASE(waitsome_until_all_are_done) {
  int *memory, got[8], done = 0, indices[8];
  MPI_Request requests[8];
  MPI_Win window = numbered_window(&memory);
  for (int i = 0; i < 8; ++i)
    MPI_Rget(&got[i], 1, MPI_INT, (world_rank + i) % world_size, i, 1, MPI_INT, window, &requests[i]);
  while (done < 8) {
    int some = 0;
    MPI_Waitsome(8, requests, &some, indices, MPI_STATUSES_IGNORE);
    for (int k = 0; k < some; ++k)
      CHECK_INT(1000 * ((world_rank + indices[k]) % world_size) + indices[k], got[indices[k]]);
    done += some;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free_window(&window);
}

CASE(a_flush_completes_them_too) {
  int *memory, got = -1, flag = 0;
  MPI_Request requests[2];
  MPI_Win window = numbered_window(&memory);
  MPI_Rput(&world_rank, 1, MPI_INT, right(), 50, 1, MPI_INT, window, &requests[0]);
  MPI_Win_flush(right(), window);
  MPI_Rget(&got, 1, MPI_INT, right(), 50, 1, MPI_INT, window, &requests[1]);
  MPI_Win_flush_local(right(), window);
  CHECK_INT(world_rank, got);
  CHECK_OK(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));
  CHECK_INT(1, flag);
  MPI_Barrier(MPI_COMM_WORLD);
  free_window(&window);
}

CASE(accumulates_keep_their_order_whichever_is_waited_for) {
  int *memory, before[3] = {-1, -1, -1};
  const int values[3] = {7, 70, 700};
  MPI_Request requests[3];
  MPI_Win window = numbered_window(&memory);
  for (int i = 0; i < 3; ++i)
    MPI_Rget_accumulate(&values[i], 1, MPI_INT, &before[i], 1, MPI_INT, right(), 20, 1, MPI_INT, MPI_SUM,
                        window, &requests[i]);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  const int start = 1000 * right() + 20;
  CHECK_INT(start, before[0]);
  CHECK_INT(start + 7, before[1]);
  CHECK_INT(start + 77, before[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  free_window(&window);
}

CASE(raccumulate_of_every_kind) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BOR, MPI_BAND, MPI_BXOR, MPI_REPLACE};
  const int operand = 3, start[] = {10, 10, 10, 10, 8, 6, 6, 10}, expected[] = {13, 30, 3, 10, 11, 2, 5, 3};
  int* memory;
  MPI_Request requests[8];
  MPI_Win window = numbered_window(&memory);
  for (int i = 0; i < 8; ++i) memory[i] = start[i];
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 8; ++i)
    MPI_Raccumulate(&operand, 1, MPI_INT, right(), i, 1, MPI_INT, ops[i], window, &requests[i]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush(right(), window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  for (int i = 0; i < 8; ++i) CHECK_INT(expected[i], memory[i]);
  free_window(&window);
}

CASE(to_nobody) {
  int *memory, x = 4, flag = 0;
  MPI_Request requests[2];
  MPI_Win window = numbered_window(&memory);
  CHECK_OK(MPI_Rput(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[0]));
  CHECK_OK(MPI_Rget(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[1]));
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
  CHECK_INT(1, flag);
  CHECK_INT(4, x);
  free_window(&window);
}

CASE(a_large_put_is_read_when_it_goes) {
  enum { count = 50000 };
  int* memory = NULL;
  int* out = malloc(sizeof(int) * count);
  MPI_Request request;
  MPI_Win window;
  MPI_Win_allocate(sizeof(int) * count, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  fill(out, count, world_rank);
  MPI_Rput(out, count, MPI_INT, right(), 0, count, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  memset(out, 0, sizeof(int) * count);
  MPI_Win_flush(right(), window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  CHECK_INT(-1, first_difference(memory, count, left()));
  free_window(&window);
  free(out);
}
