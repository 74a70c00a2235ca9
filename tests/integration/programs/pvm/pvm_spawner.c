/* What one would type at PVM's console, as a program: starts others, collects their output, and ends when
 * they have all ended. Its words are read from left to right: COUNT PROGRAM [ARGUMENT...]  pvm_spawn; the
 * arguments end at the next word of these:
 *   +                            nothing
 *   .                            wait until all that are running have ended
 *   @NAME                        wait until somebody has put something into the mailbox NAME
 *   ! PROGRAM [ARGUMENT...]      leave PVM and become that program, which is the last word; then nobody's
 *                                output is collected */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h> /* declares pvm_catchout only behind stdio.h */

enum { most = 64, exit_tag = 99 };

static int is_mark(const char* word) {
  return strcmp(word, "+") == 0 || strcmp(word, ".") == 0 || strcmp(word, "!") == 0 || word[0] == '@';
}

static void await(int running) {
  for (; running > 0; --running) pvm_recv(-1, exit_tag);
}

static int start(int count, char* program, char** arguments) {
  int tids[most];
  const int started = pvm_spawn(program, arguments, PvmTaskDefault, "", count, tids);
  for (int i = started < 0 ? 0 : started; i < count; ++i) printf("cannot start %s: %d\n", program, tids[i]);
  if (started > 0) pvm_notify(PvmTaskExit, exit_tag, started, tids);
  return started > 0 ? started : 0;
}

int main(int count, char** words) {
  int running = 0, become = 0;
  if (pvm_mytid() < 0) return 1;
  for (int at = 1; at < count; ++at)
    if (strcmp(words[at], "!") == 0) become = at + 1;
  if (become == 0) pvm_catchout(stdout);
  for (int at = 1; at < count;) {
    if (words[at][0] == '@') pvm_freebuf(pvm_recvinfo(words[at] + 1, 0, PvmMboxWaitForInfo));
    if (words[at][0] == '.') {
      await(running);
      running = 0;
    }
    if (words[at][0] == '!') {
      pvm_exit();
      usleep(200000); /* the real daemon notices only later that a task has left */
      execvp(words[become], words + become);
      return 2;
    }
    if (is_mark(words[at])) {
      ++at;
      continue;
    }
    char* arguments[most];
    int arguments_count = 0;
    const int wanted = atoi(words[at]);
    if (at + 1 >= count || wanted < 1 || wanted > most) return 2;
    char* program = words[at + 1];
    for (at += 2; at < count && !is_mark(words[at]) && arguments_count + 1 < most; ++at)
      arguments[arguments_count++] = words[at];
    arguments[arguments_count] = NULL;
    running += start(wanted, program, arguments);
  }
  await(running);
  pvm_exit();
  return 0;
}
