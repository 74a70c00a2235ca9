// Several threads of each rank duplicate, split and free communicators of their own over and over, and use what they
// have made. Arguments: what they make ("dup", "split" or "idup"), and how often.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { threads = 4 };

static int size, repeats;
static const char* what;
static MPI_Comm parents[threads];

static void* make(void* number) {
  const int thread = (int)(long)number;
  for (int i = 0; i < repeats; ++i) {
    MPI_Comm made;
    if (strcmp(what, "split") == 0) {
      MPI_Comm_split(parents[thread], 0, 0, &made);
    } else if (strcmp(what, "idup") == 0) {
      MPI_Request request;
      MPI_Comm_idup(parents[thread], &made, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Comm_dup(parents[thread], &made);
    }
    int sum = 0;
    const int given = 1000 * thread + i;
    MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, made);
    CHECK(sum == size * given, "thread %d, time %d: %d", thread, i, sum);
    MPI_Comm_free(&made);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  what = argc > 1 ? argv[1] : "dup";
  repeats = argc > 2 ? atoi(argv[2]) : 20;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  pthread_t others[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&others[i], NULL, make, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(others[i], NULL);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&parents[i]);
  return verdict("duplicating_threads");
}
