// Signals that come at any time, in MPI calls too: handlers run, and the calls go on.
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static volatile sig_atomic_t alarms, others;
static volatile time_t seen;

static void on_alarm(int signal) {
  (void)signal;
  ++alarms;
  seen = time(NULL);  // a handler may ask for the time
}

static void on_other(int signal) {
  (void)signal;
  ++others;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct sigaction action = {0};  // without SA_RESTART: system calls end with EINTR
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  action.sa_handler = on_other;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  const struct itimerval every = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &every, NULL);

  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  long rounds = 0;
  int go_on = 1;
  while (go_on) {
    int sent[100], got[100];
    for (int i = 0; i < 100; ++i) sent[i] = (int)(rounds * 7 + rank * 1000 + i);
    MPI_Sendrecv(sent, 100, MPI_INT, right, 0, got, 100, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      CHECK(got[i] == (int)(rounds * 7 + left * 1000 + i), "round %ld: got %d at %d", rounds, got[i], i);
    if (rounds % 50 == 0) raise(rounds % 100 == 0 ? SIGINT : SIGUSR1);
    ++rounds;
    // Until every rank has been interrupted often.
    const int mine = alarms < 20 || rounds < 200;
    MPI_Allreduce(&mine, &go_on, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  CHECK(others == (rounds + 49) / 50, "%d signals of %ld were handled", (int)others, (rounds + 49) / 50);
  CHECK(seen != 0, "no handler has seen the time");
  return verdict("signals");
}
