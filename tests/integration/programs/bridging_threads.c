// Several threads of each rank make intercommunicators between the same two groups at once, and use them. Argument: what
// sets them apart: communicators between the leaders and one tag ("peers"), or tags, too ("both").
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { threads = 3, repeats = 4 };

static int rank, size;
static const char* apart;
static MPI_Comm locals[threads], peers[threads];

static void* make(void* number) {
  const int self = (int)(long)number;
  const int low = rank < size / 2;
  const int tag = strcmp(apart, "peers") == 0 ? 5 : 5 + self;
  for (int i = 0; i < repeats; ++i) {
    MPI_Comm made;
    MPI_Intercomm_create(locals[self], 0, peers[self], low ? size / 2 : 0, tag, &made);
    int given = 100 * self + (low ? 1 : 10), sum = 0, others = 0;
    MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_remote_size(made, &others);
    CHECK(sum == others * (100 * self + (low ? 10 : 1)), "thread %d has met another one: %d", self, sum);
    MPI_Comm_free(&made);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  apart = argc > 1 ? argv[1] : "both";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < threads; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &locals[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &peers[i]);
  }
  pthread_t others[threads];
  // The ranks begin with different threads.
  for (long i = 0; i < threads; ++i) pthread_create(&others[i], NULL, make, (void*)((i + rank) % threads));
  for (int i = 0; i < threads; ++i) pthread_join(others[i], NULL);
  for (int i = 0; i < threads; ++i) {
    MPI_Comm_free(&locals[i]);
    MPI_Comm_free(&peers[i]);
  }
  return verdict("bridging_threads");
}
