/* How a task leaves the machine and what then holds; the argument says which way. Over PVM 3.4.6 it prints
   the same, but for the numbers in task identifiers. */

#include <stdio.h>

#include <pvm3.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { tag_ready = 1, tag_hello = 6, tag_never = 99 };

static void enrol_anew(void) {
  struct pvmtaskinfo* tasks = 0;
  int count = 0;
  struct timeval soon = {1, 0};
  const int before = pvm_mytid();
  pvm_exit();
  const int after = pvm_mytid();
  printf("another: %d, parent %d, still another: %d\n", after != before, pvm_parent(), pvm_mytid() != after);
  pvm_tasks(0, &count, &tasks);
  printf("tasks %d, itself %d, the old one's state %d\n", count, tasks[0].ti_tid == after, pvm_pstat(before));
  pvm_initsend(PvmDataDefault);
  printf("to the old one %d, ", pvm_send(before, tag_hello));
  printf("came %d\n", pvm_trecv(-1, tag_hello, &soon) > 0);
  printf("to itself %d, ", pvm_send(after, tag_hello));
  printf("came %d\n", pvm_trecv(-1, tag_hello, &soon) > 0);
}

static void be_child(void) {
  pvm_initsend(PvmDataDefault);
  pvm_send(pvm_parent(), tag_ready);
  pvm_recv(-1, tag_never);
  puts("not reached");
}

/* Its parent waits for more of it. */
static void fail(const char* way) {
  pvm_initsend(PvmDataDefault);
  pvm_send(pvm_parent(), tag_ready);
  if (strcmp(way, "crashing child") == 0) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  exit(3);
}

/* Its process never ends: what is left to be written when it exits goes into a pipe that nobody reads. */
static void stick(void) {
  enum { more_than_a_pipe_holds = 1 << 18 };
  static char left[more_than_a_pipe_holds], buffer[2 * more_than_a_pipe_holds];
  int ends[2];
  if (pipe(ends) != 0) return;
  FILE* file = fdopen(ends[1], "w");
  setvbuf(file, buffer, _IOFBF, sizeof buffer);
  fwrite(left, 1, sizeof left, file);
  pvm_initsend(PvmDataDefault);
  pvm_send(pvm_parent(), tag_ready);
  exit(0);
}

static void start_child(char* program, char* way) {
  int child = 0;
  char* arguments[] = {way, 0};
  printf("started %d\n", pvm_spawn(program, arguments, 0, 0, 1, &child));
  pvm_recv(child, tag_ready);
}

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  char group[] = "group";
  if (strcmp(way, "child") == 0) {
    be_child();
    return 0;
  }
  if (strcmp(way, "crashing child") == 0 || strcmp(way, "failing child") == 0) fail(way);
  if (strcmp(way, "sticking child") == 0) stick();
  if (pvm_mytid() < 0) return 1;
  if (strcmp(way, "crash") == 0 || strcmp(way, "fail") == 0) {
    start_child(arguments[0], way[0] == 'c' ? "crashing child" : "failing child");
    fflush(stdout);
    pvm_recv(-1, tag_never);
    puts("not reached");
  }
  if (strcmp(way, "stick") == 0) {
    enum { children = 30 };
    for (int i = 0; i < children; ++i) start_child(arguments[0], "sticking child");
    fflush(stdout);
    pvm_recv(-1, tag_never);
    puts("not reached");
  }
  if (strcmp(way, "enrol anew") == 0) enrol_anew();
  if (strcmp(way, "freeze") == 0) {
    const int instance = pvm_joingroup(group);
    printf("instance %d, ", instance);
    printf("frozen %d, ", pvm_freezegroup(group, 1));
    printf("size %d\n", pvm_gsize(group));
  }
  if (strcmp(way, "halt") == 0) {
    start_child(arguments[0], "child");
    fflush(stdout);
    pvm_halt();
    sleep(2);
    puts("not reached");
  }
  if (strcmp(way, "exit") == 0) {
    start_child(arguments[0], "child");
    exit(7);
  }
  if (strcmp(way, "leave and exit") == 0) {
    start_child(arguments[0], "child");
    pvm_exit();
    exit(7);
  }
  if (strcmp(way, "from nobody") == 0) pvm_recv(-2, tag_never);
  pvm_exit();
  return 0;
}
