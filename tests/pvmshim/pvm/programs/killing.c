/* A task ends another one, or sends it a signal, while that one does something. Arguments: how ("kill" or a
   signal's number), what the other one does meanwhile, and whether it catches the signal. */

#include <stdio.h>

#include <pvm3.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { tag_ready = 1, tag_end = 2, tag_never = 99 };

static void leave(int signal_number) {
  (void)signal_number;
  _exit(3);
}

static void note(int signal_number) {
  (void)signal_number;
}

static void be_killed(const char* doing, const char* handling) {
  const int parent = pvm_parent();
  if (strcmp(handling, "leaves") == 0) signal(SIGTERM, leave);
  if (strcmp(handling, "goes on") == 0) signal(SIGTERM, note);
  pvm_initsend(PvmDataDefault);
  pvm_send(parent, tag_ready);
  if (strcmp(doing, "nrecv") == 0)
    for (;;) pvm_nrecv(-1, tag_never);
  if (strcmp(doing, "probe") == 0)
    for (;;) pvm_probe(-1, tag_never);
  if (strcmp(doing, "recv") == 0) pvm_recv(parent, tag_never);
  pvm_initsend(PvmDataDefault);
  pvm_send(parent, tag_ready);
  pvm_exit();
}

int main(int count, char** arguments) {
  int task = 0, gone = 0, result = 0;
  if (count != 4) return 1;
  if (pvm_parent() > 0) {
    be_killed(arguments[2], arguments[3]);
    return 0;
  }
  char* child[] = {arguments[1], arguments[2], arguments[3], 0};
  if (pvm_spawn(arguments[0], child, 0, 0, 1, &task) != 1) return 2;
  pvm_notify(PvmTaskExit, tag_end, 1, &task);
  pvm_recv(task, tag_ready);
  const int how = atoi(arguments[1]);
  result = how == 0 ? pvm_kill(task) : pvm_sendsig(task, how);
  printf("result %d\n", result);
  if (strcmp(arguments[3], "goes on") == 0) {
    struct timeval soon = {1, 0};
    printf("told %d\n", pvm_trecv(-1, tag_end, &soon));
    pvm_initsend(PvmDataDefault);
    pvm_send(task, tag_never);
    pvm_recv(task, tag_ready);
    printf("it went on\n");
  }
  pvm_recv(-1, tag_end);
  pvm_upkint(&gone, 1, 1);
  printf("gone %d, there %d\n", gone == task, pvm_pstat(task) == PvmOk);
  pvm_exit();
  return 0;
}
