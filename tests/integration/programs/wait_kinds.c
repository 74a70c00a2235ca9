// One wait of a kind for each first argument, as small programs have them. Each prints what its wait came to,
// and checks on the program's own clocks that it took as long as it says. Further arguments:
// "simulated", no longer either; "multiple" asks for MPI_THREAD_MULTIPLE.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static const double span = 0.2, long_span = 30;  // s

static double now_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static struct timespec timespec_of(double seconds) {
  const struct timespec result = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  return result;
}
static struct timespec in(double seconds, clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  const long long at = now.tv_sec * 1000000000LL + now.tv_nsec + (long long)(seconds * 1e9);
  now.tv_sec = at / 1000000000;
  now.tv_nsec = at % 1000000000;
  return now;
}

static const char* error_name(int error) {
  return error == 0 ? "done" : error == ETIMEDOUT || error == EAGAIN ? "time is over" : strerror(error);
}
static const char* name_of(long result) {
  return result == -1 ? error_name(errno) : result == 0 ? "none" : "some";
}

// What another thread does a span later.
typedef void act(void);
static void* acts(void* what) {
  usleep((useconds_t)(1e6 * span));
  (*(act**)what)();
  return NULL;
}
static act* later_act;
static pthread_t later(act* what) {
  pthread_t thread;
  later_act = what;
  CHECK(pthread_create(&thread, NULL, acts, &later_act) == 0, "%s", "there is no thread");
  return thread;
}

static int ends[2], pair[2];
static volatile sig_atomic_t signals = 0;
static void on_signal(int number) {
  (void)number;
  ++signals;
}
static void write_pipe(void) {
  CHECK(write(ends[1], "x", 1) == 1, "%s", "nothing was written");
}
static void write_socket(void) {
  CHECK(send(pair[1], "x", 1, 0) == 1, "%s", "nothing was sent");
}
static pthread_t main_thread;
static void signal_main(void) {
  pthread_kill(main_thread, SIGUSR1);
}
static void nothing(void) {}

static struct sigaction counting(int number) {
  struct sigaction action = {.sa_handler = on_signal}, before;
  sigaction(number, &action, &before);
  return before;
}

// Sleeps.
static const char* of_sleep(void) {
  return sleep(1) == 0 ? "done" : "interrupted";
}
static const char* of_usleep(void) {
  return usleep((useconds_t)(1e6 * span)) == 0 ? "done" : "interrupted";
}
static const char* of_nanosleep(void) {
  const struct timespec limit = timespec_of(span);
  return nanosleep(&limit, NULL) == 0 ? "done" : "interrupted";
}
static const char* of_clock_nanosleep(void) {
  const struct timespec limit = timespec_of(span);
  return error_name(clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, NULL));
}
static const char* of_boottime(void) {
  const struct timespec until = in(span, CLOCK_BOOTTIME);
  return error_name(clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &until, NULL));
}
// Descriptors.
static const char* of_select(void) {
  struct timeval limit = {0, (long)(1e6 * span)};
  return name_of(select(0, NULL, NULL, NULL, &limit));
}
static const char* of_select_of_socket(void) {
  struct timeval limit = {0, (long)(1e6 * span)};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(pair[0], &set);
  return name_of(select(pair[0] + 1, &set, NULL, NULL, &limit));
}
static const char* of_select_and_thread(void) {
  struct timeval limit = {(long)long_span, 0};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  const pthread_t thread = later(write_pipe);
  const char* result = name_of(select(ends[0] + 1, &set, NULL, NULL, &limit));
  pthread_join(thread, NULL);
  return result;
}
static const char* of_pselect_and_signal(void) {
  counting(SIGUSR1);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const pthread_t thread = later(signal_main);
  const struct timespec limit = timespec_of(long_span);
  const char* result = name_of(pselect(0, NULL, NULL, NULL, &limit, &before));
  pthread_join(thread, NULL);
  return signals == 1 ? result : "no signal";
}
static const char* of_poll(void) {
  struct pollfd file = {ends[0], POLLIN, 0};
  return name_of(poll(&file, 1, (int)(1e3 * span)));
}
static const char* of_ppoll(void) {
  struct pollfd files[2] = {{ends[0], POLLIN, 0}, {pair[0], POLLIN, 0}};
  const struct timespec limit = timespec_of(span);
  return name_of(ppoll(files, 2, &limit, NULL));
}
static const char* of_ppoll_and_thread(void) {
  struct pollfd files[2] = {{ends[0], POLLIN, 0}, {pair[0], POLLIN, 0}};
  const struct timespec limit = timespec_of(long_span);
  const pthread_t thread = later(write_socket);
  const char* result = name_of(ppoll(files, 2, &limit, NULL));
  pthread_join(thread, NULL);
  return result;
}
static const char* of_epoll(int (*wait)(int epoll, struct epoll_event*), act* what) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = ends[0]}};
  const int epoll = epoll_create1(0);
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  const pthread_t thread = what != NULL ? later(what) : pthread_self();
  const char* result = name_of(wait(epoll, &event));
  if (what != NULL) pthread_join(thread, NULL);
  close(epoll);
  return result;
}
static int epoll_short(int epoll, struct epoll_event* event) {
  return epoll_wait(epoll, event, 1, (int)(1e3 * span));
}
static int epoll_pshort(int epoll, struct epoll_event* event) {
  return epoll_pwait(epoll, event, 1, (int)(1e3 * span), NULL);
}
static int epoll_long(int epoll, struct epoll_event* event) {
  return epoll_wait(epoll, event, 1, (int)(1e3 * long_span));
}
static const char* of_epoll_wait(void) {
  return of_epoll(epoll_short, NULL);
}
static const char* of_epoll_pwait(void) {
  return of_epoll(epoll_pshort, NULL);
}
static const char* of_epoll_and_thread(void) {
  return of_epoll(epoll_long, write_pipe);
}
static const char* of_socket_timeout(void) {
  const struct timeval limit = {0, (long)(1e6 * span)};
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte;
  return name_of(recv(pair[0], &byte, 1, 0));
}
static const char* of_socket_and_thread(void) {
  const struct timeval limit = {(long)long_span, 0};
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const pthread_t thread = later(write_socket);
  char byte;
  const char* result = name_of(recv(pair[0], &byte, 1, 0));
  pthread_join(thread, NULL);
  return result;
}
static const char* of_datagram_socket(void) {
  const int file = socket(AF_INET, SOCK_DGRAM, 0);
  const struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const struct timeval limit = {0, (long)(1e6 * span)};
  CHECK(bind(file, (const struct sockaddr*)&here, sizeof here) == 0, "%s", "no address");
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte;
  const char* result = name_of(recvfrom(file, &byte, 1, 0, NULL, NULL));
  close(file);
  return result;
}
// Timers and signals.
static const char* of_alarm_and_sleep(void) {
  counting(SIGALRM);
  alarm(1);
  // A moment later is a second less.
  const unsigned left = sleep(3);
  return (left == 2 || left == 1) && signals == 1 ? "alarm" : "no alarm";
}
static const char* of_setitimer_and_pause(void) {
  counting(SIGALRM);
  const struct itimerval once = {{0, 0}, {0, (long)(1e6 * span)}};
  setitimer(ITIMER_REAL, &once, NULL);
  return pause() == -1 && errno == EINTR && signals == 1 ? "alarm" : "no alarm";
}
static const char* of_timer_create(void) {
  counting(SIGRTMIN);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const struct itimerspec once = {{0, 0}, timespec_of(span)};
  timer_settime(timer, 0, &once, NULL);
  const char* result = pause() == -1 && errno == EINTR && signals == 1 ? "alarm" : "no alarm";
  timer_delete(timer);
  return result;
}
static const char* of_timerfd(int flags, struct timespec at) {
  const int file = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec once = {{0, 0}, at};
  timerfd_settime(file, flags, &once, NULL);
  unsigned long long count = 0;
  const ssize_t length = read(file, &count, sizeof count);
  close(file);
  return length == sizeof count && count == 1 ? "alarm" : "no alarm";
}
static const char* of_timerfd_relative(void) {
  return of_timerfd(0, timespec_of(span));
}
static const char* of_timerfd_absolute(void) {
  return of_timerfd(TFD_TIMER_ABSTIME, in(span, CLOCK_MONOTONIC));
}
static const char* of_timerfd_closed(void) {
  const int file = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec often = {timespec_of(span / 4), timespec_of(span / 4)};
  timerfd_settime(file, 0, &often, NULL);
  close(file);
  // Whatever has the number now is not the timer.
  const int counter = eventfd(0, EFD_NONBLOCK);
  struct pollfd poller = {counter, POLLIN, 0};
  const char* result = counter != file ? "another number" : name_of(poll(&poller, 1, (int)(1e3 * span)));
  close(counter);
  return result;
}
// It would have expired 200 million times.
static const char* of_timerfd_forgotten(void) {
  const int file = timerfd_create(CLOCK_REALTIME, 0);
  const struct itimerspec often = {{0, 1}, {0, 1}};
  timerfd_settime(file, 0, &often, NULL);
  close(file);
  return of_usleep();
}
static sigset_t blocked_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  return set;
}
static const char* of_sigtimedwait(void) {
  const sigset_t set = blocked_signal();
  const struct timespec limit = timespec_of(span);
  return name_of(sigtimedwait(&set, NULL, &limit));
}
static const char* of_sigtimedwait_and_thread(void) {
  const sigset_t set = blocked_signal();
  const struct timespec limit = timespec_of(long_span);
  const pthread_t thread = later(signal_main);
  const char* result = name_of(sigtimedwait(&set, NULL, &limit));
  pthread_join(thread, NULL);
  return result;
}
// What threads and processes share.
static const char* of_condition_of_monotonic_clock(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_t condition;
  pthread_cond_init(&condition, &attributes);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const struct timespec until = in(span, CLOCK_MONOTONIC);
  return error_name(pthread_cond_timedwait(&condition, &mutex, &until));
}
static sem_t semaphore;
static void post(void) {
  sem_post(&semaphore);
}
static const char* of_semaphore_and_thread(void) {
  sem_init(&semaphore, 0, 0);
  const pthread_t thread = later(post);
  const struct timespec until = in(long_span, CLOCK_REALTIME);
  const char* result = sem_timedwait(&semaphore, &until) == 0 ? "done" : error_name(errno);
  pthread_join(thread, NULL);
  return result;
}
static const char* of_system_v_semaphore(void) {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  struct sembuf take = {0, -1, 0};
  const struct timespec limit = timespec_of(span);
  const char* result = name_of(semtimedop(set, &take, 1, &limit));
  semctl(set, 0, IPC_RMID);
  return result;
}
static const char* of_join(void) {
  const pthread_t thread = later(nothing);
  const struct timespec until = in(span / 2, CLOCK_REALTIME);
  const int early = pthread_timedjoin_np(thread, NULL, &until);
  return early == ETIMEDOUT && pthread_join(thread, NULL) == 0 ? "done" : error_name(early);
}
static const char* of_robust_mutex(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  static pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutex_lock(&mutex);
  pthread_mutex_t* const held = &mutex;
  const struct timespec until = in(span, CLOCK_REALTIME);
  const int error = pthread_mutex_timedlock(held, &until);
  return error == EDEADLK ? "a deadlock" : error_name(error);
}
static void* takes_until(void* mutex) {
  const struct timespec until = in(span, CLOCK_REALTIME);
  return (void*)(long)pthread_mutex_timedlock(mutex, &until);
}
static const char* of_inheriting_mutex(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutex_lock(&mutex);
  pthread_t thread;
  pthread_create(&thread, NULL, takes_until, &mutex);
  void* error = NULL;
  pthread_join(thread, &error);
  pthread_mutex_unlock(&mutex);
  return error_name((int)(long)error);
}
static const char* of_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    usleep((useconds_t)(1e6 * span));
    _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
  }
  struct pollfd file = {ends[0], POLLIN, 0};
  const char* result = name_of(poll(&file, 1, (int)(1e3 * long_span)));
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0 ? result : "the child failed";
}

static const struct kind {
  const char* name;
  const char* (*wait)(void);
  const char* expected;
  double least;
} kinds[] = {
    {"sleep", of_sleep, "done", 1},
    {"usleep", of_usleep, "done", 0.2},
    {"nanosleep", of_nanosleep, "done", 0.2},
    {"clock_nanosleep", of_clock_nanosleep, "done", 0.2},
    {"boottime", of_boottime, "done", 0.2},
    {"select", of_select, "none", 0.2},
    {"select-socket", of_select_of_socket, "none", 0.2},
    {"select-thread", of_select_and_thread, "some", 0.2},
    {"pselect-signal", of_pselect_and_signal, "Interrupted system call", 0.2},
    {"poll", of_poll, "none", 0.2},
    {"ppoll", of_ppoll, "none", 0.2},
    {"ppoll-thread", of_ppoll_and_thread, "some", 0.2},
    {"epoll_wait", of_epoll_wait, "none", 0.2},
    {"epoll_pwait", of_epoll_pwait, "none", 0.2},
    {"epoll-thread", of_epoll_and_thread, "some", 0.2},
    {"socket", of_socket_timeout, "time is over", 0.2},
    {"socket-thread", of_socket_and_thread, "some", 0.2},
    {"datagram", of_datagram_socket, "time is over", 0.2},
    {"alarm", of_alarm_and_sleep, "alarm", 1},
    {"setitimer", of_setitimer_and_pause, "alarm", 0.2},
    {"timer_create", of_timer_create, "alarm", 0.2},
    {"timerfd", of_timerfd_relative, "alarm", 0.2},
    {"timerfd-absolute", of_timerfd_absolute, "alarm", 0.2},
    {"timerfd-closed", of_timerfd_closed, "none", 0.2},
    {"timerfd-forgotten", of_timerfd_forgotten, "done", 0.2},
    {"sigtimedwait", of_sigtimedwait, "time is over", 0.2},
    {"sigtimedwait-thread", of_sigtimedwait_and_thread, "some", 0.2},
    {"condition-monotonic", of_condition_of_monotonic_clock, "time is over", 0.2},
    {"semaphore-thread", of_semaphore_and_thread, "done", 0.2},
    {"semtimedop", of_system_v_semaphore, "time is over", 0.2},
    {"join", of_join, "done", 0.2},
    {"mutex-robust", of_robust_mutex, "time is over", 0.2},
    {"mutex-inheriting", of_inheriting_mutex, "time is over", 0.2},
    {"child", of_child, "some", 0},
};

int main(int argc, char** argv) {
  int level = MPI_THREAD_FUNNELED, is_simulated = 0;
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "multiple") == 0) level = MPI_THREAD_MULTIPLE;
    if (strcmp(argv[i], "simulated") == 0) is_simulated = 1;
  }
  MPI_Init_thread(&argc, &argv, level, &level);
  main_thread = pthread_self();
  CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "%s", "there is no pipe");
  const struct kind* kind = kinds;
  const struct kind* const end = kinds + sizeof kinds / sizeof *kinds;
  while (kind != end && (argc < 2 || strcmp(kind->name, argv[1]) != 0)) ++kind;
  if (kind == end) {  // says which there are
    for (kind = kinds; kind != end; ++kind) printf("%s\n", kind->name);
    MPI_Finalize();
    return 0;
  }
  const double begin = MPI_Wtime(), monotonic = now_of(CLOCK_MONOTONIC), date = now_of(CLOCK_REALTIME);
  const char* result = kind->wait();
  const double took[] = {MPI_Wtime() - begin, now_of(CLOCK_MONOTONIC) - monotonic,
                         now_of(CLOCK_REALTIME) - date};
  CHECK(strcmp(result, kind->expected) == 0, "%s: %s, not %s", kind->name, result, kind->expected);
  for (int i = 0; i < 3; ++i)
    CHECK(took[i] >= kind->least - 1e-5 && (!is_simulated || took[i] <= kind->least + 5e-3),
          "%s took %.9f s by clock %d, not %.3f", kind->name, took[i], i, kind->least);
  printf("%s: %s\n", kind->name, result);
  return verdict("wait");
}
