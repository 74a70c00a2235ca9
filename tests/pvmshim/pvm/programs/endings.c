/* Tasks end in every way that there is: their parent hears of each of them, and prints what they print. */

#include <stdio.h>

#include <pvm3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* const ways[] = {"return", "exit", "_exit",         "quick",  "exec",       "execl", "fork",
                                   "error",  "stay", "exit from PVM", "signal", "not a task", "become"};
enum { number_of_ways = sizeof ways / sizeof *ways, tag_end = 7, tag_hello = 8 };

static void say(const char* text) {
  printf("%s\n", text);
  fflush(stdout);
}

/* A forked child is no task, and what it executes is none either. */
static void with_child(void) {
  const int task = pvm_mytid();
  const pid_t child = fork();
  if (child == 0) {
    pvm_setopt(PvmAutoErr, 0);
    printf("the child's call: %d\n", pvm_send(task, 1));
    fflush(stdout);
    if (system("test -z \"$MORGANA_PVM_TASK\"") != 0) say("it would start a task");
    execlp("true", "true", (char*)0);
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  printf("child ended with %d, the task goes on: %d\n", status, pvm_mytid() == task);
}

static int end_as(const char* program, const char* way) {
  char* arguments[] = {"echo", "executed", 0};
  if (strcmp(way, "not a task") == 0) return 0;
  pvm_mytid();
  say(way);
  if (strcmp(way, "exit") == 0) exit(3);
  if (strcmp(way, "_exit") == 0) _exit(0);
  if (strcmp(way, "quick") == 0) quick_exit(0);
  if (strcmp(way, "exec") == 0) execvp("echo", arguments);
  if (strcmp(way, "execl") == 0) execlp("echo", "echo", "executed", "too", (char*)0);
  if (strcmp(way, "fork") == 0) with_child();
  if (strcmp(way, "error") == 0) {
    pvm_setopt(PvmAutoErr, 2);
    pvm_send(-5, 1);
    say("not reached");
  }
  if (strcmp(way, "stay") == 0) {
    pvm_exit();
    say("without PVM");
    pvm_exit();
  }
  if (strcmp(way, "exit from PVM") == 0) {
    const int before = pvm_mytid();
    pvm_exit();
    printf("the same again: %d\n", pvm_mytid() == before);
  }
  if (strcmp(way, "become") == 0) {
    char id[20];
    snprintf(id, sizeof id, "%d", pvm_mytid());
    execl(program, program, "came back", id, (char*)0);
    say("could not");
  }
  if (strcmp(way, "signal") == 0) abort();
  return 0;
}

int main(int count, char** arguments) {
  if (count > 2) {
    printf("came back as the same: %d, parent %d\n", pvm_mytid() == atoi(arguments[2]), pvm_parent());
    pvm_initsend(PvmDataDefault);
    printf("sent to itself %d, ", pvm_send(pvm_mytid(), 3));
    printf("received %d\n", pvm_recv(-1, 3) > 0);
    return 0;
  }
  if (count > 1) return end_as("/proc/self/exe", arguments[1]);
  pvm_setopt(PvmShowTids, 0);
  pvm_catchout(stdout);
  for (int i = 0; i < number_of_ways; ++i) {
    char* way[] = {(char*)ways[i], 0};
    int task = 0, gone = 0;
    struct timeval limit = {1000, 0};
    pvm_spawn("endings", way, 0, 0, 1, &task);
    pvm_notify(PvmTaskExit, tag_end, 1, &task);
    const int told = pvm_trecv(-1, tag_end, &limit);
    if (told > 0) pvm_upkint(&gone, 1, 1);
    printf("%s: %s\n", ways[i], gone == task ? "told" : "never told");
    fflush(stdout);
  }
  pvm_exit();
  say("end");
  return 0;
}
