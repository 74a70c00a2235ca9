// All clocks tell the same time, and it moves on; sleeping moves them too. With "simulated" as an argument
// the program also checks that its clocks start where simulated time does, and that sleep() sleeps for
// exactly as long as it says. Prints the time that it thinks it took.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static double wall(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double of_day(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return (double)now.tv_sec + (double)now.tv_usec * 1e-6;
}

static double utc(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double used(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

static void expect(double measured, double expected, double tolerance, const char* what) {
  CHECK(fabs(measured - expected) <= tolerance, "%s: %.9f s, not %.9f", what, measured, expected);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int simulated = argc > 1 && strcmp(argv[1], "simulated") == 0;
  const double naps = simulated ? 5.0 : 0.3;

  const double mpi = MPI_Wtime(), day = of_day(), monotonic = wall(CLOCK_MONOTONIC),
               real = wall(CLOCK_REALTIME);
  const double steady = utc(), processor = (double)clock() / CLOCKS_PER_SEC, spent = used();
  const time_t seconds = time(NULL);
  if (simulated) {
    CHECK(day >= 946684800 && day < 946684800 + 60, "gettimeofday shows %.6f", day);
    CHECK(seconds == 946684800 || seconds == 946684801, "time shows %ld", (long)seconds);
    CHECK(mpi >= 0 && mpi < 60, "MPI_Wtime shows %.6f", mpi);
  }
  expect(real - day, 0, 0.05, "realtime against gettimeofday");

  double last = MPI_Wtime();
  for (int i = 0; i < 1000; ++i) {
    const double now = MPI_Wtime();
    CHECK(now >= last, "the clock went back from %.12f to %.12f", last, now);
    last = now;
  }
  const double loop = wall(CLOCK_MONOTONIC);
  while (wall(CLOCK_MONOTONIC) - loop < 1e-3) {  // a program that waits for time to pass gets there
  }

  const double before = MPI_Wtime();
  if (simulated)
    sleep(5);
  else
    usleep(300000);
  expect(MPI_Wtime() - before, naps, simulated ? 1e-3 : 0.2, "sleep");
  usleep(20000);
  const struct timespec nap = {0, 30000000};
  nanosleep(&nap, NULL);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += 1;
  const double absolute = MPI_Wtime();
  if (simulated) {
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    expect(MPI_Wtime() - absolute, 1.0, 1e-3, "sleep until");
  }

  const double took = MPI_Wtime() - mpi, tolerance = 0.05;
  expect(of_day() - day, took, tolerance, "gettimeofday");
  expect(wall(CLOCK_MONOTONIC) - monotonic, took, tolerance, "CLOCK_MONOTONIC");
  expect(wall(CLOCK_REALTIME) - real, took, tolerance, "CLOCK_REALTIME");
  expect(utc() - steady, took, tolerance, "timespec_get");
  expect((double)(time(NULL) - seconds), took, 1.0, "time");
  if (simulated) {
    expect((double)clock() / CLOCKS_PER_SEC - processor, took, tolerance, "clock");
    expect(used() - spent, took, tolerance, "getrusage");
  }
  printf("took %.6f s\n", took);
  return verdict("clocks");
}
