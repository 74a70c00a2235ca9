// Waits with a time limit, of every kind that the C library has: each ends as it does natively, and on the clock of
// MPI_Wtime takes as long as it says. Arguments: "multiple" asks for MPI_THREAD_MULTIPLE, "simulated" says that no
// wait takes longer than it must, either. Prints what every wait came to.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static const double span = 0.02, long_span = 30;
static int simulated;

static struct timespec seconds(double time) {
  const struct timespec result = {(time_t)time, (long)((time - (double)(time_t)time) * 1e9)};
  return result;
}

static struct timespec in(double time, clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  const struct timespec more = seconds(time);
  now.tv_sec += more.tv_sec;
  now.tv_nsec += more.tv_nsec;
  if (now.tv_nsec >= 1000000000) {
    ++now.tv_sec;
    now.tv_nsec -= 1000000000;
  }
  return now;
}

static const char* outcome(int error) {
  return error == 0 ? "done" : error == ETIMEDOUT || error == EAGAIN ? "time is over" : strerror(error);
}

// That it came to this, and took so long: natively, or on a clock that computing moves, it may take longer.
static void came_to(const char* name, const char* result, const char* expected, double begin, double least) {
  const double took = MPI_Wtime() - begin;
  CHECK(strcmp(result, expected) == 0, "%s: %s, not %s", name, result, expected);
  CHECK(took >= least - 1e-6, "%s took %.9f s, not %.3f", name, took, least);
  CHECK(!simulated || took <= least + 5e-3, "%s took %.9f s, not %.3f", name, took, least);
  printf("%s: %s\n", name, result);
}

static void check_error(const char* name, int error, double begin, double least) {
  came_to(name, outcome(error), least > 0 ? "time is over" : "done", begin, least);
}

static void check_count(const char* name, int count, int expected, double begin, double least) {
  char result[32], wanted[32];
  snprintf(result, sizeof result, "%d", count);
  snprintf(wanted, sizeof wanted, "%d", expected);
  came_to(name, result, wanted, begin, least);
}

static int error_of(long result) {
  return result == -1 ? errno : 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int ends[2];
static int is_set;

static void locks_alone(void) {
  double begin = MPI_Wtime();
  struct timespec limit = in(span, CLOCK_REALTIME);
  check_error("sem_timedwait", error_of(sem_timedwait(&semaphore, &limit)), begin, span);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_MONOTONIC);
  check_error("sem_clockwait", error_of(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &limit)), begin, span);
  sem_post(&semaphore);
  begin = MPI_Wtime();
  limit = in(long_span, CLOCK_REALTIME);
  check_error("sem_timedwait, posted", error_of(sem_timedwait(&semaphore, &limit)), begin, 0);

  pthread_mutex_lock(&mutex);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_error("pthread_cond_timedwait", pthread_cond_timedwait(&condition, &mutex, &limit), begin, span);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_MONOTONIC);
  check_error("pthread_cond_clockwait", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &limit), begin,
              span);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_error("pthread_mutex_timedlock", pthread_mutex_timedlock(&mutex, &limit), begin, span);
  pthread_mutex_unlock(&mutex);
  begin = MPI_Wtime();
  limit = in(long_span, CLOCK_MONOTONIC);
  check_error("pthread_mutex_clocklock, free", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit), begin, 0);
  pthread_mutex_unlock(&mutex);

  pthread_rwlock_rdlock(&rwlock);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_error("pthread_rwlock_timedwrlock", pthread_rwlock_timedwrlock(&rwlock, &limit), begin, span);
  begin = MPI_Wtime();
  limit = in(long_span, CLOCK_MONOTONIC);
  check_error("pthread_rwlock_clockrdlock, read", pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &limit), begin,
              0);
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);

  mtx_t standard;
  cnd_t signalled;
  mtx_init(&standard, mtx_timed);
  cnd_init(&signalled);
  mtx_lock(&standard);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_error("cnd_timedwait", cnd_timedwait(&signalled, &standard, &limit) == thrd_timedout ? ETIMEDOUT : 0, begin,
              span);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_error("mtx_timedlock", mtx_timedlock(&standard, &limit) == thrd_timedout ? ETIMEDOUT : 0, begin, span);
  mtx_unlock(&standard);

  int word = 1;
  begin = MPI_Wtime();
  limit = seconds(span);
  check_error("futex", error_of(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &limit, NULL, 0)), begin, span);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_MONOTONIC);
  check_error("futex, absolute",
              error_of(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, &limit, NULL, FUTEX_BITSET_MATCH_ANY)),
              begin, span);

  char name[64], text[8] = "text";
  snprintf(name, sizeof name, "/morgana-waits-%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof text};
  const mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
  mq_unlink(name);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_error("mq_timedreceive", error_of(mq_timedreceive(queue, text, sizeof text, NULL, &limit)), begin, span);
  begin = MPI_Wtime();
  limit = in(long_span, CLOCK_REALTIME);
  check_error("mq_timedsend, empty", error_of(mq_timedsend(queue, text, sizeof text, 0, &limit)), begin, 0);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_error("mq_timedsend, full", error_of(mq_timedsend(queue, text, sizeof text, 0, &limit)), begin, span);
  mq_close(queue);
}

static void descriptors_alone(void) {
  double begin = MPI_Wtime();
  struct timeval left = {0, (long)(span * 1e6)};
  check_count("select of nothing", select(0, NULL, NULL, NULL, &left), 0, begin, span);
  CHECK(left.tv_sec == 0 && left.tv_usec == 0, "%ld us are left", (long)left.tv_usec);
  fd_set reading;
  FD_ZERO(&reading);
  FD_SET(ends[0], &reading);
  begin = MPI_Wtime();
  struct timespec limit = seconds(span);
  check_count("pselect of a pipe", pselect(ends[0] + 1, &reading, NULL, NULL, &limit, NULL), 0, begin, span);
  begin = MPI_Wtime();
  check_count("poll of nothing", poll(NULL, 0, 20), 0, begin, span);
  struct pollfd file = {ends[0], POLLIN, 0};
  begin = MPI_Wtime();
  check_count("poll of a pipe", poll(&file, 1, 20), 0, begin, span);
  const int counter = eventfd(0, EFD_NONBLOCK), epoll = epoll_create1(0);
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "there is no %s", "pair of sockets");
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = counter}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event);
  epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event);
  begin = MPI_Wtime();
  check_count("epoll_wait", epoll_wait(epoll, &event, 1, 20), 0, begin, span);
  begin = MPI_Wtime();
  check_count("epoll_pwait2", epoll_pwait2(epoll, &event, 1, &limit, NULL), 0, begin, span);
  CHECK(eventfd_write(counter, 1) == 0, "%s", "no event");
  begin = MPI_Wtime();
  check_count("epoll_pwait, ready", epoll_pwait(epoll, &event, 1, (int)(1e3 * long_span), NULL), 1, begin, 0);
  FD_ZERO(&reading);
  FD_SET(counter, &reading);
  left.tv_sec = (long)long_span;
  begin = MPI_Wtime();
  check_count("select, ready", select(counter + 1, &reading, NULL, NULL, &left), 1, begin, 0);
  CHECK(left.tv_sec > 0, "%ld s are left", (long)left.tv_sec);
  close(counter);
  close(epoll);
  close(pair[0]);
  close(pair[1]);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  begin = MPI_Wtime();
  check_error("sigtimedwait", error_of(sigtimedwait(&signals, NULL, &limit)), begin, span);
  raise(SIGUSR1);
  limit = seconds(long_span);
  begin = MPI_Wtime();
  check_count("sigtimedwait, raised", sigtimedwait(&signals, NULL, &limit), SIGUSR1, begin, 0);
}

static void sleeps_alone(void) {
  double begin = MPI_Wtime();
  struct timespec limit = seconds(span);
  check_count("thrd_sleep", thrd_sleep(&limit, NULL), 0, begin, span);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_MONOTONIC);
  check_count("clock_nanosleep, absolute", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &limit, NULL), 0, begin,
              span);
  begin = MPI_Wtime();
  limit = in(span, CLOCK_REALTIME);
  check_count("clock_nanosleep, date", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &limit, NULL), 0, begin, span);
}

// What another thread does `span` later.
typedef void act(void);

static void* acts_later(void* given) {
  usleep((useconds_t)(span * 1e6));
  (*(act**)given)();
  return NULL;
}

static void post(void) {
  sem_post(&semaphore);
}
static void signal_condition(void) {
  pthread_mutex_lock(&mutex);
  is_set = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&condition);
}
static void broadcast(void) {
  pthread_mutex_lock(&mutex);
  is_set = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}
static void write_to_pipe(void) {
  CHECK(write(ends[1], "x", 1) == 1, "%s", "nothing was written");
}
static void nothing(void) {
}

static pthread_t later(act** what) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, acts_later, what) == 0, "%s", "there is no thread");
  return thread;
}

static int wait_until_set(double time) {
  const struct timespec limit = in(time, CLOCK_REALTIME);
  int error = 0;
  pthread_mutex_lock(&mutex);
  while (!is_set && error == 0) error = pthread_cond_timedwait(&condition, &mutex, &limit);
  pthread_mutex_unlock(&mutex);
  return error;
}

static void* waits_until_set(void* unused) {
  (void)unused;
  CHECK(wait_until_set(long_span) == 0, "%s", "a thread was not woken");
  return NULL;
}

// Holds locks meanwhile.
static void* holds(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  sem_post(&semaphore);
  usleep((useconds_t)(span * 1e6));
  pthread_rwlock_unlock(&rwlock);
  usleep((useconds_t)(span * 1e6));
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void with_another_thread(void) {
  act* act_post = post;
  act* act_signal = signal_condition;
  act* act_broadcast = broadcast;
  act* act_write = write_to_pipe;
  act* act_nothing = nothing;

  double begin = MPI_Wtime();
  pthread_t thread = later(&act_post);
  struct timespec limit = in(long_span, CLOCK_REALTIME);
  int error = error_of(sem_timedwait(&semaphore, &limit));
  came_to("sem_timedwait, posted later", outcome(error), "done", begin, span);
  pthread_join(thread, NULL);

  begin = MPI_Wtime();
  thread = later(&act_post);
  limit = in(span / 2, CLOCK_REALTIME);
  error = error_of(sem_timedwait(&semaphore, &limit));
  came_to("sem_timedwait, posted too late", outcome(error), "time is over", begin, span / 2);
  pthread_join(thread, NULL);
  sem_trywait(&semaphore);

  begin = MPI_Wtime();
  thread = later(&act_signal);
  error = wait_until_set(long_span);
  came_to("pthread_cond_timedwait, signalled later", outcome(error), "done", begin, span);
  pthread_join(thread, NULL);
  is_set = 0;

  begin = MPI_Wtime();
  thread = later(&act_signal);
  error = wait_until_set(span / 2);
  came_to("pthread_cond_timedwait, signalled too late", outcome(error), "time is over", begin, span / 2);
  pthread_join(thread, NULL);
  came_to("then the thread has ended", is_set ? "yes" : "no", "yes", begin, span);
  is_set = 0;

  begin = MPI_Wtime();
  pthread_t second;
  pthread_create(&second, NULL, waits_until_set, NULL);
  thread = later(&act_broadcast);
  error = wait_until_set(long_span);
  pthread_join(second, NULL);
  came_to("pthread_cond_broadcast", outcome(error), "done", begin, span);
  pthread_join(thread, NULL);
  is_set = 0;

  begin = MPI_Wtime();
  pthread_create(&thread, NULL, holds, NULL);
  sem_wait(&semaphore);
  limit = in(long_span, CLOCK_MONOTONIC);
  error = pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &limit);
  came_to("pthread_rwlock_clockrdlock, free later", outcome(error), "done", begin, span);
  pthread_rwlock_unlock(&rwlock);
  limit = in(span / 2, CLOCK_REALTIME);
  error = pthread_mutex_timedlock(&mutex, &limit);
  came_to("pthread_mutex_timedlock, free too late", outcome(error), "time is over", begin, span * 3 / 2);
  limit = in(long_span, CLOCK_REALTIME);
  error = pthread_mutex_timedlock(&mutex, &limit);
  came_to("pthread_mutex_timedlock, free later", outcome(error), "done", begin, span * 2);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);

  begin = MPI_Wtime();
  thread = later(&act_nothing);
  limit = in(span / 2, CLOCK_REALTIME);
  error = pthread_timedjoin_np(thread, NULL, &limit);
  came_to("pthread_timedjoin_np, too early", outcome(error), "time is over", begin, span / 2);
  limit = in(long_span, CLOCK_MONOTONIC);
  error = pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &limit);
  came_to("pthread_clockjoin_np", outcome(error), "done", begin, span);

  begin = MPI_Wtime();
  thread = later(&act_write);
  struct pollfd file = {ends[0], POLLIN, 0};
  const int count = poll(&file, 1, (int)(1e3 * long_span));
  check_count("poll, written later", count, 1, begin, span);
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1, "%s", "nothing to read");
  pthread_join(thread, NULL);

  begin = MPI_Wtime();
  thread = later(&act_nothing);
  usleep((useconds_t)(span / 2 * 1e6));
  pthread_join(thread, NULL);
  came_to("two threads sleep side by side", "yes", "yes", begin, span);
}

// What comes from outside takes no simulated time; what does not come takes all of it.
static void with_a_child(void) {
  int from_child[2], to_child[2];
  CHECK(pipe(from_child) == 0 && pipe(to_child) == 0, "%s", "there is no pipe");
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    const ssize_t length = read(to_child[0], &byte, 1);
    _exit(length == 1 && write(from_child[1], &byte, 1) == 1 ? 0 : 1);
  }
  struct pollfd file = {from_child[0], POLLIN, 0};
  double begin = MPI_Wtime();
  check_count("poll of a child that waits", poll(&file, 1, 20), 0, begin, span);
  CHECK(write(to_child[1], "x", 1) == 1, "%s", "nothing was written");
  begin = MPI_Wtime();
  const int count = poll(&file, 1, INT_MAX);
  came_to("poll of a child that answers", count == 1 ? "1" : "none", "1", begin, 0);
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  int level = MPI_THREAD_FUNNELED;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "multiple") == 0) level = MPI_THREAD_MULTIPLE;
    if (strcmp(argv[i], "simulated") == 0) simulated = 1;
  }
  MPI_Init_thread(&argc, &argv, level, &level);
  sem_init(&semaphore, 0, 0);
  CHECK(pipe(ends) == 0, "%s", "there is no pipe");
  locks_alone();
  descriptors_alone();
  sleeps_alone();
  with_another_thread();
  with_a_child();
  return verdict("waits");
}
