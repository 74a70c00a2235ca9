// polls_that_end WHAT FIRST SECOND: two threads of rank 0 poll FIRST and SECOND times, and find nothing
//   spin   the first one then spins until the second one has done so
//   share  the second one has computed before, and sleeps: on one core the first one's polls have waited for that once
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

static volatile int has_polled;
static volatile double sum;
static int second;
static pthread_barrier_t barrier;

static void poll(int times) {
  int there = 0;
  for (int i = 0; i < times && !there; ++i)
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  CHECK(!there, "a message is there");
}

static void* polls(void* unused) {
  poll(second);
  has_polled = 1;
  return unused;
}

static void* computes(void* unused) {
  for (long i = 0; i < 30000000; ++i) sum += (double)i;
  poll(second);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE && argc == 4, "level %d, %d arguments", level, argc);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int first = atoi(argv[2]);
  second = atoi(argv[3]);
  if (rank == 0 && argv[1][1] == 'p') {
    pthread_create(&thread, NULL, polls, NULL);
    poll(first);
    while (!has_polled) {
    }
    pthread_join(thread, NULL);
  } else if (rank == 0) {
    pthread_barrier_init(&barrier, NULL, 2);
    const double begin = MPI_Wtime();
    pthread_create(&thread, NULL, computes, NULL);
    pthread_barrier_wait(&barrier);
    poll(1);
    const double computed = MPI_Wtime();
    poll(first);
    const double end = MPI_Wtime();
    CHECK(end - computed < computed - begin, "%d polls took %g s, what was computed before them %g s", first,
          end - computed, computed - begin);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return verdict("polls_that_end");
}
