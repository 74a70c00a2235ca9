// What one-sided communication takes in simulated time, as rank 0 sees it, and in which order accesses are
// carried out. For emulated runs with --compute none.
#include <stdint.h>
#include <unistd.h>

#include "check.h"

enum { bytes = 1001, many = 10 };

static int rank;
static MPI_Win window;
static double begun;

static void begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(rank == 0 ? 1000 : 2000);  // nothing else is on the way meanwhile
  begun = MPI_Wtime();
}

static void end(const char* what) {
  const double took = MPI_Wtime() - begun;
  if (rank == 0) printf("%s %.3f us\n", what, 1e6 * took);
}

static volatile double sink;

static void work_long(void) {
  for (long i = 0; i < 200000000; ++i) sink += (double)i;
}

static void accesses(char* data) {
  int64_t one = 1, before = -1;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  begin();
  if (rank == 0) {
    MPI_Put(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(1, window);
  }
  end("put");
  begin();
  if (rank == 0) {
    MPI_Get(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(1, window);
  }
  end("get");
  begin();
  if (rank == 0) {
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 1, 0, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
  end("fetch");
  begin();
  if (rank == 0) {
    for (int i = 0; i < many; ++i) MPI_Put(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(1, window);
  }
  end("puts");
  MPI_Win_unlock_all(window);
}

static void synchronisation(char* data) {
  MPI_Group all, other;
  const int peer = 1 - rank;
  begin();
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  end("lock");
  begin();
  if (rank == 0) MPI_Win_unlock(1, window);
  end("unlock");
  if (rank > 1) return;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) {
    begun = MPI_Wtime();
    MPI_Win_start(other, 0, window);
    end("start");
    begun = MPI_Wtime();
    MPI_Put(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    MPI_Win_complete(window);
    end("complete");
  } else {
    MPI_Win_post(other, 0, window);
    MPI_Win_wait(window);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

// Rank 1 is the first in simulated time, but not in real time.
static void tickets(void) {
  const int64_t one = 1;
  int64_t ticket = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) work_long();
  if (rank == 0) usleep(5000);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 0, 256, MPI_SUM, window);
  MPI_Win_unlock(0, window);
  CHECK(ticket == 1 - rank, "rank %d got ticket %d", rank, (int)ticket);
}

// MPICH lets no such request be freed.
static void freed_request(const char* memory) {
  const char out = (char)(40 + rank);
  MPI_Request request;
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
  MPI_Rput(&out, 1, MPI_BYTE, 1 - rank, 3000, 1, MPI_BYTE, window, &request);
  MPI_Request_free(&request);
  MPI_Win_unlock(1 - rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(memory[3000] == 41 - rank, "%d was put", memory[3000]);
}

// MPICH writes wherever it is told to.
static void beyond_the_window(char* data) {
  int class = MPI_SUCCESS;
  MPI_Win dynamic;
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
  MPI_Error_class(MPI_Put(data, 97, MPI_BYTE, 1 - rank, 4000, 97, MPI_BYTE, window), &class);
  CHECK(class == MPI_ERR_RMA_RANGE, "a put beyond the end is of class %d", class);
  MPI_Error_class(MPI_Put(data, 96, MPI_BYTE, 1 - rank, 4000, 96, MPI_BYTE, window), &class);
  CHECK(class == MPI_SUCCESS, "a put up to the end is of class %d", class);
  MPI_Win_unlock(1 - rank, window);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, dynamic);
  MPI_Put(data, 8, MPI_BYTE, 1 - rank, 64, 8, MPI_BYTE, dynamic);
  MPI_Error_class(MPI_Win_unlock(1 - rank, dynamic), &class);
  CHECK(class == MPI_ERR_RMA_RANGE, "a put to no memory ends with class %d", class);
  MPI_Win_free(&dynamic);
}

int main(int argc, char** argv) {
  static char data[bytes];
  char* memory = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < 4096; ++i) memory[i] = 0;
  accesses(data);
  synchronisation(data);
  tickets();
  freed_request(memory);
  beyond_the_window(data);
  MPI_Win_free(&window);
  return verdict("one_sided");
}
