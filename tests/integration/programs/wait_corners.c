// Waits where the program has no descriptors left, where operations on semaphores are bad or wait in part,
// and of threads that are cancelled as they begin, or do not want to be.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int is_simulated = 0;

/* What passed since `begin` in MPI's seconds. A busy machine may keep real ones waiting for longer. */
static void took(const char* what, double begin, double seconds) {
  const double passed = MPI_Wtime() - begin;
  CHECK(passed > seconds - 0.001 && (!is_simulated || passed < seconds + 0.01), "%s took %f s, not %f", what,
        passed, seconds);
}

static void keep_timers_without_descriptors(void) {
  enum { most = 64 };
  const struct itimerspec often = {{0, 50000000}, {0, 50000000}};
  struct rlimit limit, few;
  unsigned long long times = 0;
  int more[most], count = 0;
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  getrlimit(RLIMIT_NOFILE, &limit);
  timerfd_settime(timer, 0, &often, NULL);
  few = limit;
  few.rlim_cur = (rlim_t)timer + most / 2;
  setrlimit(RLIMIT_NOFILE, &few);
  while (count < most && (more[count] = dup(timer)) >= 0) ++count;
  CHECK(errno == EMFILE, "there are %d more descriptors", count);
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < 0.12) continue;
  while (count > 0) close(more[--count]);
  setrlimit(RLIMIT_NOFILE, &limit);
  CHECK(read(timer, &times, sizeof times) == sizeof times && times >= 2, "expired %llu times", times);
  struct pollfd readable = {timer, POLLIN, 0};
  CHECK(poll(&readable, 1, 5000) == 1, "%s", "it does not expire any more");
  close(timer);
}

static void wait_for_semaphores(void) {
  const int set = semget(IPC_PRIVATE, 2, 0600);
  const struct timespec span = {0, 300000000};
  struct sembuf waits_first[] = {{0, -1, 0}, {1, 1, IPC_NOWAIT}},
                waits_never[] = {{1, -1, IPC_NOWAIT}, {0, 1, 0}};
  struct sembuf* volatile nowhere = (struct sembuf*)8;
  volatile size_t many = 100000;
  double begin = MPI_Wtime();
  CHECK(semtimedop(set, waits_first, 2, &span) == -1 && errno == EAGAIN, "%s", strerror(errno));
  took("an operation that waits before one that does not", begin, 0.3);
  begin = MPI_Wtime();
  CHECK(semtimedop(set, waits_never, 2, &span) == -1 && errno == EAGAIN, "%s", strerror(errno));
  if (is_simulated) took("one that does not wait", begin, 0);
  CHECK(semtimedop(set, nowhere, 1, &span) == -1 && errno == EFAULT, "%s", strerror(errno));
  CHECK(semtimedop(set, waits_first, many, &span) == -1 && errno == E2BIG, "%s", strerror(errno));
  semctl(set, 0, IPC_RMID);
}

static volatile int is_there;

static void* sleep_long(void* nothing) {
  const struct timespec span = {50, 0};
  is_there = 1;
  nanosleep(&span, NULL);
  return nothing;
}

static void cancel_sleeps_that_begin(void) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    void* result = NULL;
    is_there = 0;
    pthread_create(&thread, NULL, sleep_long, NULL);
    while (!is_there) continue;
    for (volatile int wait = 0; wait < i * 40; ++wait) continue;
    pthread_cancel(thread);
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED, "sleep %d was not cancelled", i);
  }
  CHECK(MPI_Wtime() - begin < 50, "a sleep went on for %f s", MPI_Wtime() - begin);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* refuse_to_be_cancelled(void* nothing) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  for (int i = 0; i < 3; ++i) {
    const double begin = MPI_Wtime();
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    ++limit.tv_sec;
    CHECK(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &limit) == ETIMEDOUT, "%s", "it is locked");
    took("a wait of a thread that was cancelled", begin, 1);
  }
  return nothing;
}

static void wait_although_cancelled(void) {
  pthread_t thread;
  void* result = PTHREAD_CANCELED;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, refuse_to_be_cancelled, NULL);
  usleep(100000);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  CHECK(result == NULL, "%s", "it was cancelled");
}

int main(int argc, char** argv) {
  int level = MPI_THREAD_FUNNELED;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "multiple") == 0) level = MPI_THREAD_MULTIPLE;
    if (strcmp(argv[i], "simulated") == 0) is_simulated = 1;
  }
  MPI_Init_thread(&argc, &argv, level, &level);
  keep_timers_without_descriptors();
  wait_for_semaphores();
  cancel_sleeps_that_begin();
  wait_although_cancelled();
  return verdict("waits in corners");
}
