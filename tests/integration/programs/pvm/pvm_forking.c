/* Tasks that fork: each of COUNT spawned tasks leaves a process of a session of its own that ignores hang-ups
 * and sleeps, and then computes for ever; the first one waits for messages that never come. Prints "forked" when
 * all have. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pvm3.h>

static void leave_a_process(void) {
  if (fork() != 0) return;
  setsid();
  signal(SIGHUP, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  for (;;) pause();
}

int main(int count, char** words) {
  int tids[16];
  const int parent = pvm_parent();
  if (parent > 0) {
    leave_a_process();
    pvm_initsend(PvmDataDefault);
    pvm_send(parent, 1);
    for (;;) {
    }
  }
  const int wanted = count > 1 ? atoi(words[1]) : 1;
  if (wanted < 1 || wanted > 16) return 2;
  leave_a_process();
  if (pvm_spawn(words[0], NULL, PvmTaskDefault, "", wanted, tids) != wanted) return 1;
  for (int i = 0; i < wanted; ++i) pvm_recv(-1, 1);
  printf("forked\n");
  fflush(stdout);
  pvm_recv(-1, 2);
  return 0;
}
