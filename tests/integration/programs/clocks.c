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

static double monotonic(void) {
  return wall(CLOCK_MONOTONIC);
}
static double real(void) {
  return wall(CLOCK_REALTIME);
}
static double seconds(void) {
  return (double)time(NULL);
}
static double processor(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static void expect(double measured, double expected, double tolerance, const char* what) {
  CHECK(fabs(measured - expected) <= tolerance, "%s: %.9f s, not %.9f", what, measured, expected);
}

// What a clock shows, and MPI_Wtime before and after: however long others have the processor meanwhile, what
// it shows lies between.
struct reading {
  double before, shown, after;
};

static struct reading reading_of(double (*show)(void)) {
  struct reading reading;
  reading.before = MPI_Wtime();
  reading.shown = show();
  reading.after = MPI_Wtime();
  return reading;
}

// That since then a clock has moved on as MPI_Wtime has.
static void expect_as_long(struct reading begin, double (*show)(void), double tolerance, const char* what) {
  const struct reading end = reading_of(show);
  const double took = end.shown - begin.shown;
  CHECK(took >= end.before - begin.after - tolerance && took <= end.after - begin.before + tolerance,
        "%s: %.9f s, between %.9f and %.9f", what, took, end.before - begin.after, end.after - begin.before);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int simulated = argc > 1 && strcmp(argv[1], "simulated") == 0;

  const double mpi = MPI_Wtime();
  const struct reading day = reading_of(of_day), steady = reading_of(monotonic), date = reading_of(real),
                       standard = reading_of(utc), used_by_clock = reading_of(processor),
                       used_by_usage = reading_of(used), second = reading_of(seconds);
  if (simulated) {
    CHECK(day.shown >= 946684800 && day.shown < 946684800 + 60, "gettimeofday shows %.6f", day.shown);
    CHECK(second.shown == 946684800 || second.shown == 946684801, "time shows %.0f", second.shown);
    CHECK(mpi >= 0 && mpi < 60, "MPI_Wtime shows %.6f", mpi);
  }
  // What lies between two readings of one lies between those of the other.
  const double first = of_day(), between = real(), last_of_day = of_day();
  CHECK(between >= first - 2e-6 && between <= last_of_day + 2e-6, "realtime: %.6f is not from %.6f to %.6f",
        between, first, last_of_day);

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
  if (simulated) {
    sleep(5);
    expect(MPI_Wtime() - before, 5.0, 1e-3, "sleep");
  } else {
    usleep(300000);
    CHECK(MPI_Wtime() - before >= 0.3 - 1e-3, "usleep: %.9f s", MPI_Wtime() - before);
  }
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

  // The kernel may correct one clock and not another.
  const double tolerance = 1e-3;
  expect_as_long(day, of_day, tolerance, "gettimeofday");
  expect_as_long(steady, monotonic, tolerance, "CLOCK_MONOTONIC");
  expect_as_long(date, real, tolerance, "CLOCK_REALTIME");
  expect_as_long(standard, utc, tolerance, "timespec_get");
  expect_as_long(second, seconds, 1.0, "time");
  if (simulated) {
    expect_as_long(used_by_clock, processor, tolerance, "clock");
    expect_as_long(used_by_usage, used, tolerance, "getrusage");
  }
  const double took = MPI_Wtime() - mpi;
  printf("took %.6f s\ndate %.0f\n", took, day.shown);
  return verdict("clocks");
}
