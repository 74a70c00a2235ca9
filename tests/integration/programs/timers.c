// Timers of every kind that the C library has: each expires as it does natively, at a time of the clock of MPI_Wtime.
// Arguments: "multiple" asks for MPI_THREAD_MULTIPLE and has another thread, "simulated" says that nothing comes later
// than it must, either. Prints what everything came to.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

extern int __poll_chk(struct pollfd* files, nfds_t count, int ms, size_t size);
static const double span = 0.02;
static int simulated, multiple;
static volatile sig_atomic_t ticks;
static volatile int value_of_tick;
static sem_t called;

static void on_tick(int signal, siginfo_t* about, void* unused) {
  (void)signal;
  (void)unused;
  ++ticks;
  value_of_tick = about->si_value.sival_int;
}

static struct timespec in_ns(double time) {
  const struct timespec result = {(time_t)time, (long)((time - (double)(time_t)time) * 1e9 + 0.5)};
  return result;
}

static struct timeval in_us(double time) {
  const struct timeval result = {(time_t)time, (long)((time - (double)(time_t)time) * 1e6 + 0.5)};
  return result;
}

static struct timespec later(double time, clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  const struct timespec more = in_ns(time);
  now.tv_sec += more.tv_sec + (now.tv_nsec + more.tv_nsec) / 1000000000;
  now.tv_nsec = (now.tv_nsec + more.tv_nsec) % 1000000000;
  return now;
}

static void came_to(const char* name, long result, long expected, double begin, double least) {
  const double took = MPI_Wtime() - begin;
  CHECK(result == expected, "%s: %ld, not %ld", name, result, expected);
  CHECK(took >= least - 1e-6, "%s took %.9f s, not %.3f", name, took, least);
  CHECK(!simulated || took <= least + 2e-3, "%s took %.9f s, not %.3f", name, took, least);
  printf("%s: %ld\n", name, result);
}

// Ticks are counted at least so often natively, where a machine may be busy.
static void counted(const char* name, long result, long expected) {
  CHECK(simulated ? result == expected : result >= expected, "%s: %ld ticks, not %ld", name, result, expected);
}

// Natively a moment late is a whole second less.
static unsigned left_of(unsigned rest, unsigned expected) {
  return !simulated && rest + 1 == expected ? expected : rest;
}

static void alarms(void) {
  double begin = MPI_Wtime();
  alarm(1);
  came_to("alarm, sleep", left_of(sleep(3), 2), 2, begin, 1);
  begin = MPI_Wtime();
  alarm(1);
  came_to("alarm, pause", pause() == -1 && errno == EINTR, 1, begin, 1);
  begin = MPI_Wtime();
  alarm(3);
  usleep(900000);
  came_to("alarm(0)", alarm(0), 2, begin, 0.9);
  ticks = 0;
  begin = MPI_Wtime();
  came_to("no alarm, sleep", sleep(4), 0, begin, 4);
  came_to("no alarm", ticks, 0, begin, 4);
  begin = MPI_Wtime();
  alarm(1);
  alarm(2);
  came_to("second alarm, sleep", left_of(sleep(3), 1), 1, begin, 2);
  begin = MPI_Wtime();
  ualarm(20000, 0);
  struct timespec rest, wait = in_ns(0.05);
  const int error = nanosleep(&wait, &rest);
  came_to("ualarm, nanosleep", error == -1 && errno == EINTR && rest.tv_nsec > 0 && rest.tv_nsec < (simulated ? 30000001 : 50000000), 1, begin, span);
  begin = MPI_Wtime();
  ualarm(20000, 0);
  came_to("ualarm, select", select(0, NULL, NULL, NULL, NULL) == -1 && errno == EINTR, 1, begin, span);
  begin = MPI_Wtime();
  ualarm(20000, 0);
  came_to("ualarm, poll", poll(NULL, 0, 5000) == -1 && errno == EINTR, 1, begin, span);
}

// A wait for a time ends with the handler, whatever other calls do after it (signal() asks for SA_RESTART).
static void with_restart(void) {
  struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
  sigaction(SIGALRM, &action, &before);
  double begin = MPI_Wtime();
  alarm(1);
  came_to("SA_RESTART, sleep", left_of(sleep(3), 2), 2, begin, 1);
  begin = MPI_Wtime();
  ualarm(20000, 0);
  came_to("SA_RESTART, poll", poll(NULL, 0, 5000) == -1 && errno == EINTR, 1, begin, span);
  begin = MPI_Wtime();
  ualarm(20000, 0);
  came_to("SA_RESTART, pause", pause() == -1 && errno == EINTR, 1, begin, span);
  sigaction(SIGALRM, &before, NULL);
}

// Whenever the signal comes, select() leaves its sets as they were.
static void select_again(void) {
  int ends[2], emptied = 0;
  CHECK(pipe(ends) == 0, "%s", "there is no pipe");
  for (int i = 0; i < 300; ++i) {
    fd_set reading;
    FD_ZERO(&reading);
    FD_SET(ends[0], &reading);
    struct timeval limit = {1, 0};
    ualarm(20000, 0);
    const int ready = select(ends[0] + 1, &reading, NULL, NULL, &limit);
    emptied += ready != -1 || errno != EINTR || !FD_ISSET(ends[0], &reading);
  }
  CHECK(emptied == 0, "select has emptied %d sets", emptied);
  close(ends[0]);
  close(ends[1]);
}

static sigjmp_buf before_wait;

static void jumps(int signal) {
  (void)signal;
  siglongjmp(before_wait, 1);
}

// The handler leaves what it has interrupted.
static void jump_out(void) {
  struct sigaction action = {.sa_handler = jumps}, before;
  sigaction(SIGALRM, &action, &before);
  int ends[2];
  CHECK(pipe(ends) == 0, "%s", "there is no pipe");
  for (int i = 0; i < 3; ++i) {
    const double begin = MPI_Wtime();
    volatile int came = 0;
    if (sigsetjmp(before_wait, 1) == 0) {
      ualarm(20000, 0);
      char byte;
      if (i == 0)
        sleep(30);
      else if (i == 1)
        pause();
      else if (read(ends[0], &byte, 1) >= 0)
        came = 2;
    } else {
      came = 1;
    }
    came_to("jump out of a wait", came, 1, begin, span);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  close(ends[0]);
  close(ends[1]);
  sigaction(SIGALRM, &before, NULL);
}

static void intervals(void) {
  struct itimerval every = {in_us(0.01), in_us(0.02)}, left;
  const struct itimerval never = {{0, 0}, {0, 0}};
  ticks = 0;
  double begin = MPI_Wtime();
  setitimer(ITIMER_REAL, &every, NULL);
  while (ticks < 5) pause();
  came_to("setitimer, pause", ticks >= 5, 1, begin, 0.06);
  counted("setitimer, pause", ticks, 5);
  getitimer(ITIMER_REAL, &left);
  CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_usec > 0 && left.it_value.tv_usec <= 10000 &&
            left.it_interval.tv_usec == 10000,
        "getitimer: %ld us, then each %ld us", (long)left.it_value.tv_usec, (long)left.it_interval.tv_usec);
  setitimer(ITIMER_REAL, &never, &left);
  CHECK(left.it_interval.tv_usec == 10000, "setitimer: each %ld us before", (long)left.it_interval.tv_usec);
  getitimer(ITIMER_REAL, &left);
  CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0 && left.it_interval.tv_usec == 0, "getitimer: %ld us",
        (long)left.it_value.tv_usec);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  begin = MPI_Wtime();
  setitimer(ITIMER_REAL, &every, NULL);
  int signal = 0, right = 0;
  siginfo_t about;
  struct timespec limit = in_ns(5);
  for (int i = 0; i < 3; ++i) right += sigwait(&signals, &signal) == 0 && signal == SIGALRM;
  right += sigwaitinfo(&signals, &about) == SIGALRM;
  right += sigtimedwait(&signals, &about, &limit) == SIGALRM;
  came_to("setitimer, sigwait", right, 5, begin, 0.06);
  every.it_value = in_us(0.03);
  every.it_interval = in_us(0);
  begin = MPI_Wtime();
  setitimer(ITIMER_REAL, &every, NULL);
  limit = in_ns(span);
  came_to("sigtimedwait before a timer", sigtimedwait(&signals, &about, &limit) == -1 && errno == EAGAIN, 1, begin,
          span);
  sigset_t none;
  sigemptyset(&none);
  ticks = 0;
  came_to("sigsuspend", sigsuspend(&none) == -1 && errno == EINTR && ticks == 1, 1, begin, 0.03);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static void call(union sigval value) {
  value_of_tick = value.sival_int;
  sem_post(&called);
}

static void timers_of_clock(clockid_t clock) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value = {.sival_int = 7}};
  CHECK(timer_create(clock, &event, &timer) == 0, "timer_create: %s", strerror(errno));
  struct itimerspec when = {{0, 0}, in_ns(span)}, left;
  ticks = 0;
  double begin = MPI_Wtime();
  timer_settime(timer, 0, &when, NULL);
  timer_gettime(timer, &left);
  CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_nsec > 10000000 && left.it_value.tv_nsec <= 20000000,
        "timer_gettime: %ld ns", left.it_value.tv_nsec);
  pause();
  came_to("timer_create, SIGEV_SIGNAL", value_of_tick, 7, begin, span);
  timer_gettime(timer, &left);
  CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0, "timer_gettime: %ld ns", left.it_value.tv_nsec);
  begin = MPI_Wtime();
  when.it_value = later(span, clock);
  timer_settime(timer, TIMER_ABSTIME, &when, NULL);
  pause();
  came_to("timer_settime, absolute", ticks, 2, begin, span);
  when.it_value = later(-1, clock);
  ticks = 0;
  begin = MPI_Wtime();
  timer_settime(timer, TIMER_ABSTIME, &when, NULL);
  while (ticks == 0) sched_yield();
  came_to("timer_settime, in the past", ticks, 1, begin, 0);
  // Blocked: one signal stands for all that expire.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  when.it_value = when.it_interval = in_ns(0.01);
  begin = MPI_Wtime();
  timer_settime(timer, 0, &when, NULL);
  usleep(55000);
  siginfo_t about;
  came_to("sigwaitinfo of an overrun timer", sigwaitinfo(&signals, &about), SIGRTMIN, begin, 0.055);
  const int overrun = timer_getoverrun(timer);
  counted("timer_getoverrun", overrun, 4);
  timer_delete(timer);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  ticks = 0;
  begin = MPI_Wtime();
  usleep(30000);
  came_to("timer_delete", ticks, 0, begin, 0.03);

  event.sigev_notify = SIGEV_NONE;
  CHECK(timer_create(clock, &event, &timer) == 0, "timer_create: %s", strerror(errno));
  when.it_value = in_ns(0.02);
  when.it_interval = in_ns(0);
  timer_settime(timer, 0, &when, NULL);
  begin = MPI_Wtime();
  usleep(15000);
  timer_gettime(timer, &left);
  came_to("SIGEV_NONE", left.it_value.tv_sec == 0 && (!simulated || left.it_value.tv_nsec > 0) && left.it_value.tv_nsec <= 5000000, 1,
          begin, 0.015);
  usleep(10000);
  timer_gettime(timer, &left);
  came_to("SIGEV_NONE, over", left.it_value.tv_nsec, 0, begin, 0.025);
  timer_delete(timer);

  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = call;
  event.sigev_value.sival_int = 9;
  CHECK(timer_create(clock, &event, &timer) == 0, "timer_create: %s", strerror(errno));
  when.it_value = in_ns(span);
  when.it_interval = in_ns(0.01);
  value_of_tick = 0;
  // Its thread waits as others do: no wait takes real time for it.
  if (simulated) {
    begin = MPI_Wtime();
    came_to("sleep beside a timer that calls", sleep(2000), 0, begin, 2000);
  }
  begin = MPI_Wtime();
  timer_settime(timer, 0, &when, NULL);
  struct timespec limit = later(30, CLOCK_REALTIME);
  for (int i = 0; i < 3; ++i) CHECK(sem_timedwait(&called, &limit) == 0, "call %d did not come", i);
  came_to("SIGEV_THREAD", value_of_tick, 9, begin, 0.04);
  timer_delete(timer);
}

// While a signal with a queue is blocked it is there once for each timer, and for who sends it.
static void queued_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  timer_t timers[2];
  struct itimerspec when = {{0, 0}, {0, 0}};
  siginfo_t about;
  const struct timespec limit = in_ns(5), none = {0, 0};
  double begin = MPI_Wtime();
  for (int i = 0; i < 2; ++i) {
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value = {.sival_int = 1 << i}};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timers[i]) == 0, "timer_create: %s", strerror(errno));
    when.it_value = in_ns(0.001 * (i + 1));
    timer_settime(timers[i], 0, &when, NULL);
  }
  usleep(5000);
  int values = 0;
  for (int i = 0; i < 2; ++i)
    if (sigtimedwait(&signals, &about, &limit) == SIGRTMIN) values += about.si_value.sival_int;
  came_to("two timers of one signal", values, 3, begin, 0.005);
  const union sigval value = {.sival_int = 4};
  begin = MPI_Wtime();
  sigqueue(getpid(), SIGRTMIN, value);
  timer_settime(timers[1], 0, &when, NULL);
  usleep(5000);
  values = 0;
  for (int i = 0; i < 2; ++i)
    if (sigtimedwait(&signals, &about, &limit) == SIGRTMIN) values += about.si_value.sival_int;
  came_to("a timer after the same signal", values, 6, begin, 0.005);
  timer_delete(timers[0]);
  timer_delete(timers[1]);
  // One timer's own signal is there once.
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timers[0]) == 0, "timer_create: %s", strerror(errno));
  when.it_value = when.it_interval = in_ns(0.01);
  begin = MPI_Wtime();
  timer_settime(timers[0], 0, &when, NULL);
  usleep(55000);
  came_to("SIGEV_THREAD_ID", sigtimedwait(&signals, &about, &limit), SIGRTMIN, begin, 0.055);
  counted("timer_getoverrun of SIGEV_THREAD_ID", timer_getoverrun(timers[0]), 4);
  const int again = sigtimedwait(&signals, &about, &none);
  CHECK(!simulated || again == -1, "%s", "SIGEV_THREAD_ID has sent two signals");
  timer_delete(timers[0]);
  while (sigtimedwait(&signals, &about, &none) == SIGRTMIN) continue;
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static void descriptors(clockid_t clock) {
  const int timer = timerfd_create(clock, TFD_CLOEXEC), other = timerfd_create(clock, TFD_NONBLOCK);
  CHECK(timer >= 0 && other >= 0, "timerfd_create: %s", strerror(errno));
  unsigned long long count = 0;
  struct itimerspec when = {{0, 0}, in_ns(span)}, left;
  double begin = MPI_Wtime();
  timerfd_settime(timer, 0, &when, NULL);
  timerfd_gettime(timer, &left);
  CHECK(left.it_value.tv_nsec > 10000000 && left.it_value.tv_nsec <= 20000000, "timerfd_gettime: %ld ns",
        left.it_value.tv_nsec);
  CHECK(read(timer, &count, sizeof count) == sizeof count, "read: %s", strerror(errno));
  came_to("timerfd, read", (long)count, 1, begin, span);
  begin = MPI_Wtime();
  when.it_value = later(span, clock);
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
  struct pollfd file = {timer, POLLIN, 0};
  came_to("timerfd, absolute, poll", poll(&file, 1, -1), 1, begin, span);
  when.it_value = in_ns(span);
  begin = MPI_Wtime();
  timerfd_settime(timer, 0, &when, NULL);
  came_to("timerfd set again, poll", poll(&file, 1, 10), 0, begin, span / 2);
  came_to("timerfd, poll with a limit", poll(&file, 1, 5000), 1, begin, span);
  fd_set reading;
  FD_ZERO(&reading);
  FD_SET(timer, &reading);
  came_to("timerfd, select, ready", select(timer + 1, &reading, NULL, NULL, NULL), 1, begin, span);
  when.it_interval = in_ns(0.01);
  begin = MPI_Wtime();
  timerfd_settime(timer, 0, &when, NULL);
  usleep(55000);
  CHECK(read(timer, &count, sizeof count) == sizeof count, "read: %s", strerror(errno));
  came_to("timerfd, periodic", 1, 1, begin, 0.055);
  counted("timerfd, periodic", (long)count, 4);
  CHECK(read(timer, &count, sizeof count) == sizeof count, "read: %s", strerror(errno));
  came_to("timerfd, its next time", 1, 1, begin, 0.06);
  when.it_value.tv_nsec = when.it_interval.tv_nsec = 0;
  timerfd_settime(timer, 0, &when, &left);
  CHECK(left.it_interval.tv_nsec == 10000000, "timerfd_settime: each %ld ns before", left.it_interval.tv_nsec);
  CHECK(read(other, &count, sizeof count) == -1 && errno == EAGAIN, "%s", "a timer that was not set can be read");
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = timer}}, ready;
  epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
  event.data.fd = other;
  epoll_ctl(epoll, EPOLL_CTL_ADD, other, &event);
  begin = MPI_Wtime();
  when.it_value = in_ns(0.03);
  timerfd_settime(timer, 0, &when, NULL);
  when.it_value = in_ns(span);
  timerfd_settime(other, 0, &when, NULL);
  int count_ready = epoll_wait(epoll, &ready, 1, -1);
  came_to("timerfds, epoll_wait", count_ready == 1 && ready.data.fd == other, 1, begin, span);
  CHECK(read(other, &count, sizeof count) == sizeof count && count == 1, "%s", "it can't be read");
  count_ready = epoll_wait(epoll, &ready, 1, 5000);
  came_to("timerfds, epoll_wait, the second", count_ready == 1 && ready.data.fd == timer, 1, begin, 0.03);
  close(epoll);
  // What has its descriptor later is left alone.
  timerfd_settime(other, 0, &when, NULL);
  close(other);
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "%s", "there is no pair of sockets");
  usleep(50000);
  CHECK(read(ends[0], &count, 1) == -1 && read(ends[1], &count, 1) == -1, "%s", "a closed timer has written");
  close(ends[0]);
  close(ends[1]);
  // Nor is an event counter, which may have the kernel's number of the closed one, too.
  const int closed = timerfd_create(clock, TFD_NONBLOCK);
  when.it_value = in_ns(span);
  timerfd_settime(closed, 0, &when, NULL);
  close(closed);
  const int counter = eventfd(0, EFD_NONBLOCK);
  CHECK(counter == closed, "the counter is %d, not %d", counter, closed);
  usleep(50000);
  CHECK(read(counter, &count, sizeof count) == -1 && errno == EAGAIN, "%s", "a closed timer has counted");
  close(counter);
  // What takes no real time, also by calls that ask for more room, or were compiled with checks.
  if (simulated) {
    unsigned long long room[2];
    when.it_value = in_ns(1000);
    begin = MPI_Wtime();
    timerfd_settime(timer, 0, &when, NULL);
    came_to("timerfd, poll with checks", __poll_chk(&file, 1, -1, sizeof file), 1, begin, 1000);
    came_to("timerfd, read with room", (long)read(timer, room, sizeof room), 8, begin, 1000);
    timerfd_settime(timer, 0, &when, NULL);
    came_to("timerfd, read with room, waits", (long)read(timer, room, sizeof room), 8, begin, 2000);
  }
  close(timer);
}

static void sockets(void) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "%s", "there is no pair of sockets");
  const struct timeval limit = in_us(span);
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  char text[4096] = "text";
  struct iovec part = {text, sizeof text};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  double begin = MPI_Wtime();
  came_to("SO_RCVTIMEO, recv", recv(ends[0], text, 1, 0) == -1 && errno == EAGAIN, 1, begin, span);
  came_to("SO_RCVTIMEO, read", read(ends[0], text, 1) == -1 && errno == EAGAIN, 1, begin, 2 * span);
  came_to("SO_RCVTIMEO, recvmsg", recvmsg(ends[0], &message, 0) == -1 && errno == EAGAIN, 1, begin, 3 * span);
  came_to("SO_RCVTIMEO, at once", recv(ends[0], text, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN, 1, begin, 3 * span);
  CHECK(write(ends[1], "ab", 2) == 2, "%s", "nothing was written");
  begin = MPI_Wtime();
  came_to("SO_RCVTIMEO, there already", recvfrom(ends[0], text, 1, 0, NULL, NULL), 1, begin, 0);
  alarm(1);
  came_to("SO_RCVTIMEO, the rest", recv(ends[0], text, 2, 0), 1, begin, 0);
  alarm(0);
  while (send(ends[0], text, sizeof text, MSG_DONTWAIT) > 0) continue;
  begin = MPI_Wtime();
  came_to("SO_SNDTIMEO, send", send(ends[0], text, sizeof text, 0) == -1 && errno == EAGAIN, 1, begin, span);
  came_to("SO_SNDTIMEO, write", write(ends[0], text, sizeof text) == -1 && errno == EAGAIN, 1, begin, 2 * span);
  close(ends[0]);
  close(ends[1]);

  CHECK(pipe(ends) == 0, "%s", "there is no pipe");
  struct aiocb access = {.aio_fildes = ends[0], .aio_buf = text, .aio_nbytes = 1};
  const struct aiocb* const list[] = {&access};
  aio_read(&access);
  struct timespec wait = in_ns(span);
  begin = MPI_Wtime();
  came_to("aio_suspend", aio_suspend(list, 1, &wait) == -1 && errno == EAGAIN, 1, begin, span);
  CHECK(write(ends[1], "a", 1) == 1, "%s", "nothing was written");
  wait.tv_sec = 1000;
  came_to("aio_suspend, done", aio_suspend(list, 1, &wait), 0, begin, span);
  close(ends[0]);
  close(ends[1]);
}

// What expires in a call is delivered when it ends, each time that it does; ranks go on to the same time.
static void in_calls(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  const struct itimerval every = {in_us(0.01), in_us(0.02)}, never = {{0, 0}, {0, 0}};
  ticks = 0;
  if (rank == 1) {
    setitimer(ITIMER_REAL, &every, NULL);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    came_to("setitimer, MPI_Recv", 0, 0, begin, 0.095);
    counted("setitimer, MPI_Recv", ticks, 8);
    int flag = 0;
    while (ticks < 10) MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    came_to("setitimer, MPI_Iprobe", flag, 0, begin, 0.11);
    while (ticks < 12) MPI_Wtime();
    setitimer(ITIMER_REAL, &never, NULL);
    came_to("setitimer, MPI_Wtime", ticks >= 12, 1, begin, 0.13);
  } else if (rank == 0) {
    usleep(95000);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// A thread that waits for another one, and a timer meanwhile.
static void* sleeps(void* unused) {
  (void)unused;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  usleep(40000);
  return NULL;
}

static void beside_a_thread(void) {
  pthread_t thread;
  double begin = MPI_Wtime();
  pthread_create(&thread, NULL, sleeps, NULL);
  ticks = 0;
  ualarm(20000, 0);
  came_to("a timer beside a thread that sleeps", usleep(30000) == -1 && errno == EINTR && ticks == 1, 1, begin, span);
  ualarm(50000, 0);
  pthread_join(thread, NULL);
  came_to("a thread that sleeps beside a timer", ticks, 1, begin, 2 * span);
  came_to("then the timer", pause() == -1 && ticks == 2, 1, begin, 0.07);
}

// A handler that waits leaves the wait that it has interrupted as it was.
static void waits_itself(int signal) {
  (void)signal;
  poll(NULL, 0, 1);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_set;

static void* sets_later(void* unused) {
  sleeps(unused);
  pthread_mutex_lock(&mutex);
  is_set = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* holds(void* unused) {
  pthread_mutex_lock(&mutex);
  sem_post(&called);
  sleeps(unused);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void waits_within_waits(void) {
  struct sigaction action = {.sa_handler = waits_itself, .sa_flags = SA_RESTART}, before;
  sigaction(SIGALRM, &action, &before);
  struct timespec limit = in_ns(0.05), rest;
  double begin = MPI_Wtime();
  ualarm(20000, 0);
  const int slept = nanosleep(&limit, &rest);
  came_to("nanosleep around a wait", slept == -1 && errno == EINTR && rest.tv_nsec > 0, 1, begin, span + 0.001);
  pthread_t thread;
  is_set = 0;
  begin = MPI_Wtime();
  ualarm(20000, 0);
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, sets_later, NULL);
  limit = later(10, CLOCK_REALTIME);
  int error = 0;
  while (!is_set && error == 0) error = pthread_cond_timedwait(&condition, &mutex, &limit);
  pthread_mutex_unlock(&mutex);
  came_to("pthread_cond_timedwait around a wait", error, 0, begin, 2 * span);
  pthread_join(thread, NULL);
  begin = MPI_Wtime();
  pthread_create(&thread, NULL, holds, NULL);
  sem_wait(&called);
  ualarm(20000, 0);
  limit = later(10, CLOCK_REALTIME);
  error = pthread_mutex_timedlock(&mutex, &limit);
  came_to("pthread_mutex_timedlock around a wait", error, 0, begin, 2 * span);
  if (error == 0) pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  sigaction(SIGALRM, &before, NULL);
}

// A thread's sleep ends also while another one is in a call, although a timer that comes first does not expire then.
static void* tells(void* told) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  usleep(5000);
  *(volatile int*)told = 1;
  return NULL;
}

static void beside_a_call(void) {
  int rank, size, seen = 0, *told;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  MPI_Win window;
  MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &told, &window);
  *told = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const struct itimerval every = {in_us(0.001), in_us(0.001)}, never = {{0, 0}, {0, 0}};
  if (rank == 0) {
    pthread_t thread;
    setitimer(ITIMER_REAL, &every, NULL);
    pthread_create(&thread, NULL, tells, told);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_join(thread, NULL);
    printf("a thread that sleeps beside a call and a timer\n");
  } else if (rank == 1) {
    while (!seen) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
      MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
      MPI_Win_unlock(0, window);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Win_free(&window);
}

// A loop that asks for nothing ends with its timer.
static void spinning(void) {
  ticks = 0;
  ualarm(20000, 0);
  const double begin = MPI_Wtime();
  while (ticks == 0) continue;
  came_to("a loop that waits for an alarm", ticks, 1, begin, simulated ? span : 0);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "multiple") == 0) multiple = 1;
    if (strcmp(argv[i], "simulated") == 0) simulated = 1;
  }
  struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO};
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGRTMIN, &action, NULL);
  alarm(1000);  // in real time: until another one is set
  int level = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
  MPI_Init_thread(&argc, &argv, level, &level);
  CHECK(alarm(0) > 900, "%s", "the alarm of before is forgotten");
  CHECK(alarm(0) == 0, "%s", "the alarm of before goes on");
  sem_init(&called, 0, 0);
  if (multiple) beside_a_thread();
  alarms();
  with_restart();
  select_again();
  intervals();
  jump_out();
  timers_of_clock(CLOCK_REALTIME);
  timers_of_clock(CLOCK_MONOTONIC);
  queued_signals();
  descriptors(CLOCK_REALTIME);
  descriptors(CLOCK_MONOTONIC);
  sockets();
  in_calls();
  beside_a_thread();
  waits_within_waits();
  beside_a_call();
  spinning();
  if (!multiple) return verdict("timers");
  // A wait that is not over when MPI ends is over some time.
  pthread_t late;
  pthread_create(&late, NULL, sleeps, NULL);
  const int failed = verdict("timers");
  pthread_join(late, NULL);
  return failed;
}
