/* What time PVM's timed calls take, in simulated microseconds. */

#include <pvm3.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

int pvmgetclock(struct timeval* now);
int pvmsleep(int seconds);

static long microseconds(void) {
  struct timeval now;
  pvmgetclock(&now);
  return now.tv_sec * 1000000 + now.tv_usec;
}

int main(void) {
  struct timeval limit = {2, 500000}, clock, difference;
  const int me = pvm_mytid();
  long before = microseconds();
  pvm_trecv(-1, -1, &limit);
  printf("trecv %ld\n", microseconds() - before);
  before = microseconds();
  pvm_initsend(PvmDataDefault);
  pvm_send(me, 5);
  const int got = pvm_trecv(-1, 5, &limit);
  printf("trecv of what is there %s\n", got > 0 && microseconds() - before < 1000 ? "at once" : "too long");
  before = microseconds();
  pvmsleep(3);
  printf("pvmsleep %ld\n", microseconds() - before);
  before = microseconds();
  while (pvm_nrecv(-1, -1) == 0 && microseconds() - before < 5000) continue;
  printf("polled %s\n", microseconds() - before >= 5000 ? "to the end" : "too short");
  printf("hostsync %d", pvm_hostsync(pvm_tidtohost(me), &clock, &difference));
  const long apart = difference.tv_sec * 1000000 + difference.tv_usec;
  printf(", %s, %s\n", clock.tv_sec > 946684799 ? "since 2000" : "long ago",
         apart >= -1 && apart <= 1 ? "no difference" : "a difference");
  pvm_exit();
  before = microseconds();
  usleep(1000);
  printf("after PVM %ld\n", microseconds() - before);
  return 0;
}
