// One-sided communication in all three ways to synchronise it, with requests and atomics.
#include "check.h"

enum { page = 4096, rounds = 10 };

static int rank, size;

static void fences(MPI_Win window, int* memory) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < rounds; ++i) {
    const int out = 100 * i + rank;
    int in = -1;
    MPI_Win_fence(0, window);
    MPI_Put(&out, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(memory[0] == 100 * i + left, "got %d", memory[0]);
    MPI_Get(&in, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    CHECK(in == out, "got %d back", in);
  }
}

static void groups(MPI_Win window, int* memory) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Group all, to, from;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  for (int i = 0; i < rounds; ++i) {
    const int out = 7 * i + rank;
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(&out, 1, MPI_INT, right, 1, 1, MPI_INT, window);
    MPI_Win_complete(window);
    int done = 0;
    while (i % 2 == 0 && !done) MPI_Win_test(window, &done);
    if (!done) MPI_Win_wait(window);
    CHECK(memory[1] == 7 * i + left, "got %d", memory[1]);
  }
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  MPI_Group_free(&all);
}

static void locks(MPI_Win window) {
  const int one = 1, last = size - 1;
  int value = -1;
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, window);
    MPI_Get(&value, 1, MPI_INT, last, 2, 1, MPI_INT, window);
    MPI_Win_flush(last, window);
    ++value;
    MPI_Put(&value, 1, MPI_INT, last, 2, 1, MPI_INT, window);
    MPI_Win_unlock(last, window);
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(&one, 1, MPI_INT, last, 3, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush_all(window);
    MPI_Fetch_and_op(&one, &value, MPI_INT, last, 4, MPI_SUM, window);
    MPI_Win_unlock_all(window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int counts[3] = {-1, -1, -1};
  MPI_Request request;
  MPI_Win_lock(MPI_LOCK_SHARED, last, 0, window);
  MPI_Rget(counts, 3, MPI_INT, last, 2, 3, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(last, window);
  for (int i = 0; i < 3; ++i) CHECK(counts[i] == rounds * size, "counter %d is %d", i, counts[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* memory = NULL;
  MPI_Win window;
  MPI_Win_allocate(page, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < 8; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  fences(window, memory);
  groups(window, memory);
  MPI_Barrier(MPI_COMM_WORLD);
  locks(window);
  MPI_Win_free(&window);
  return verdict("windows");
}
