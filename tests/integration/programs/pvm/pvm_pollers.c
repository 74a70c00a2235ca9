/* Tasks that poll at the same time, and their parent, which polls, too: COUNT [leave]. All end when they are
 * told to. With "leave", the first one is gone without a word before, while the others poll; the second one
 * polls until it is killed; then another one joins. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 32, tag_go = 1, tag_done = 2, tag_gone = 3, polls = 100 };

static void fail(const char* what) {
  printf("FAIL: %s\n", what);
  exit(1);
}

static void poll_for(int from, int tag) {
  int came = 0;
  while (came == 0) came = pvm_nrecv(from, tag);
  if (came < 0) fail("pvm_nrecv");
}

static void poll_in_vain(void) {
  for (int i = 0; i < polls; ++i)
    if (pvm_nrecv(-1, tag_go) != 0) fail("something came");
}

static void say(int to, int tag) {
  pvm_initsend(PvmDataDefault);
  if (pvm_send(to, tag) < 0) fail("pvm_send");
}

static void start(char* program, char* way, int count, int* tids) {
  char* arguments[] = {way, NULL};
  if (pvm_spawn(program, arguments, PvmTaskDefault, "", count, tids) != count) fail("pvm_spawn");
}

static int be_child(const char* way) {
  if (strcmp(way, "leaving child") == 0) {
    poll_in_vain();
    _exit(0);
  }
  poll_for(pvm_parent(), tag_go);
  say(pvm_parent(), tag_done);
  pvm_exit();
  return 0;
}

int main(int count, char** arguments) {
  char child[] = "child", leaving[] = "leaving child";
  int tids[most];
  if (pvm_mytid() < 0 || count < 2) return 1;
  if (strstr(arguments[1], child) != NULL) return be_child(arguments[1]);
  const int tasks = atoi(arguments[1]);
  if (tasks < 2 || tasks > most) return 1;
  if (count == 2) {
    start(arguments[0], child, tasks, tids);
  } else {
    start(arguments[0], leaving, 1, tids);
    start(arguments[0], child, tasks - 1, tids + 1);
    pvm_notify(PvmTaskExit, tag_gone, 2, tids);
    poll_for(-1, tag_gone);
    pvm_kill(tids[1]);
    poll_for(-1, tag_gone);
    tids[1] = tids[tasks - 1];
    start(arguments[0], child, 1, tids + tasks - 1);
  }
  poll_in_vain();
  const int first = count == 2 ? 0 : 1, told = tasks - first;
  for (int i = first; i < tasks; ++i) say(tids[i], tag_go);
  for (int i = 0; i < told; ++i) poll_for(-1, tag_done);
  printf("PASS\n");
  pvm_exit();
  return 0;
}
