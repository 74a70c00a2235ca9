// OpenMP's threads compute beside each other: a rank computes as long as the one that is busy longest.
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/// What the process has really used of its processors, in seconds: asked past everybody who might simulate
/// it.
static double used(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double work(long rounds) {
  volatile double x = 1;
  for (long i = 0; i < rounds; ++i) x = x * 1.0000001 + 1e-9;
  return x;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  CHECK(provided >= MPI_THREAD_FUNNELED, "the thread level is %d", provided);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime(), used_before = used();
  double sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum)
  for (int i = 0; i < 6; ++i) sum += work(3000000);
  // In this order: idle threads of OpenMP's spin for some milliseconds more, while the rank asks for the time.
  const double all_threads = used() - used_before, took = MPI_Wtime() - begin;
  CHECK(sum > 0, "computed %f", sum);
  if (argc > 1 && strcmp(argv[1], "simulated") == 0)
    CHECK(took > 0.9 * all_threads / 3 && took < all_threads,
          "%.3f s of simulated time for %.3f s of processor time", took, all_threads);
  double most = 0;
  MPI_Allreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(most >= took, "the greatest of all is %f", most);
  return verdict("openmp");
}
