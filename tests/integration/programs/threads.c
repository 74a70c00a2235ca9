// Threads that are made and joined in every way: how long the rank computes, told that it is simulated with so many
// cores a rank (0: as many as it has threads).
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { threads = 4 };

/// Asked past everybody who might simulate it, in seconds.
static double clock_of(clockid_t clock) {
  struct timespec time;
  syscall(SYS_clock_gettime, clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void keep_busy(double seconds) {
  const double until = clock_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (clock_of(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
}

static double used[threads];

static void* compute(void* number) {
  const int i = *(int*)number;
  keep_busy(0.02);
  used[i] = clock_of(CLOCK_THREAD_CPUTIME_ID);
  if (i == 1) pthread_exit(number);
  return number;
}

static void* until_cancelled(void* unused) {
  while (1) pause();
  return unused;
}

int main(int argc, char** argv) {
  const int simulated = argc > 1, cores = simulated ? atoi(argv[1]) : 0;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime(), used_before = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  pthread_t thread[threads];
  int number[threads];
  for (int i = 0; i < threads; ++i) {
    number[i] = i;
    CHECK(pthread_create(&thread[i], NULL, compute, &number[i]) == 0, "there is no thread %d", i);
  }
  for (int i = 0; i < threads; ++i) {
    void* result = NULL;
    CHECK(pthread_join(thread[i], &result) == 0 && result == &number[i], "thread %d returned %p", i, result);
  }
  const double all = clock_of(CLOCK_PROCESS_CPUTIME_ID) - used_before, took = MPI_Wtime() - begin;
  double busiest = 0;
  for (int i = 0; i < threads; ++i) busiest = used[i] > busiest ? used[i] : busiest;
  if (simulated) {
    const double least = cores == 0 ? busiest : all / cores;
    CHECK(took > 0.99 * busiest && took > 0.95 * least, "%.4f s for at least %.4f and %.4f", took, busiest, least);
    if (cores == 0) CHECK(took < 0.6 * all, "%.4f s for %.4f s of %d threads", took, all, threads);
    if (cores == 2) CHECK(took < 0.9 * all, "%.4f s for %.4f s on two cores", took, all);
  }
  pthread_t sleeper;
  CHECK(pthread_create(&sleeper, NULL, until_cancelled, NULL) == 0, "there is no %s", "sleeper");
  pthread_cancel(sleeper);
  void* result = NULL;
  CHECK(pthread_join(sleeper, &result) == 0 && result == PTHREAD_CANCELED, "a cancelled thread returned %p", result);
  MPI_Barrier(MPI_COMM_WORLD);
  return verdict("threads");
}
