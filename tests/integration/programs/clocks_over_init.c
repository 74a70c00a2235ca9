// Clocks that are read before MPI_Init and after it: what passes between is real, and none goes back. With a date (in
// seconds since 1970) as an argument, clocks with a date show that one after MPI_Init.
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { clocks = 14 };

static const char* const names[clocks] = {
    "CLOCK_MONOTONIC",  "CLOCK_MONOTONIC_RAW",      "CLOCK_MONOTONIC_COARSE", "CLOCK_BOOTTIME", "times",
    "clock",            "CLOCK_PROCESS_CPUTIME_ID", "ru_utime",               "ru_stime",       "CLOCK_REALTIME",
    "gettimeofday",     "timespec_get",             "CLOCK_REALTIME_COARSE",  "time"};
enum { first_date = 9 };

static double in_seconds(struct timespec time) {
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double shown_by(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return in_seconds(now);
}

/// Asked past everybody who might simulate it.
static double really(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return in_seconds(now);
}

static void read_all(double* shown) {
  struct rusage used;
  struct timeval day;
  struct timespec standard;
  struct tms ticks;
  getrusage(RUSAGE_SELF, &used);
  gettimeofday(&day, NULL);
  timespec_get(&standard, TIME_UTC);
  const double all[clocks] = {shown_by(CLOCK_MONOTONIC),
                              shown_by(CLOCK_MONOTONIC_RAW),
                              shown_by(CLOCK_MONOTONIC_COARSE),
                              shown_by(CLOCK_BOOTTIME),
                              (double)times(&ticks) / (double)sysconf(_SC_CLK_TCK),
                              (double)clock() / CLOCKS_PER_SEC,
                              shown_by(CLOCK_PROCESS_CPUTIME_ID),
                              (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec,
                              (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec,
                              shown_by(CLOCK_REALTIME),
                              (double)day.tv_sec + 1e-6 * (double)day.tv_usec,
                              in_seconds(standard),
                              shown_by(CLOCK_REALTIME_COARSE),
                              (double)time(NULL)};
  for (int i = 0; i < clocks; ++i) shown[i] = all[i];
}

int main(int argc, char** argv) {
  const double date = argc > 1 ? atof(argv[1]) : 0;
  double before[clocks], after[clocks];
  const double begin = really();
  read_all(before);
  MPI_Init(&argc, &argv);
  read_all(after);
  const double passed = really() - begin;
  for (int i = 0; i < clocks; ++i) {
    const int jumps = date != 0 && i >= first_date;
    const double least = jumps ? date - before[i] - 1 : 0, most = jumps ? date - before[i] + 60 : passed + 1.01;
    const double took = after[i] - before[i];
    CHECK(took >= least && took <= most, "MPI_Init took %.6f s by %s, not %.6f to %.6f", took, names[i], least, most);
  }
  return verdict("clocks_over_init");
}
