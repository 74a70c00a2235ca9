/* A farm of PVM tasks: one message to all workers at once, one to each, an answer of each. The last worker is
   killed in place of leaving PVM, and a program that there is none of is to be started, too. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>

#include <pvm3.h>

enum { workers = 4, tag_all = 1, tag_each = 2, tag_answer = 3, numbers = 112, few = 28 };

static int work(void) {
  int values[numbers] = {0};
  pvm_recv(pvm_parent(), tag_all);
  pvm_upkint(values, numbers, 1);
  pvm_recv(pvm_parent(), tag_each);
  pvm_upkint(values, few, 1);
  pvm_initsend(PvmDataDefault);
  pvm_pkint(values, few, 1);
  pvm_send(pvm_parent(), tag_answer);
  if (values[0] == workers - 1) raise(SIGKILL);
  return pvm_exit() < 0;
}

int main(int count, char** arguments) {
  int task[workers], missing, values[numbers] = {0};
  char path[PATH_MAX];
  (void)count;
  if (pvm_parent() > 0) return work();
  if (realpath(arguments[0], path) == 0) return 1;
  if (pvm_spawn("/no/such/worker", 0, PvmTaskDefault, "", 1, &missing) != 0) return 1;
  if (pvm_spawn(path, 0, PvmTaskDefault, "", workers, task) != workers) return 1;
  pvm_initsend(PvmDataDefault);
  pvm_pkint(values, numbers, 1);
  pvm_mcast(task, workers, tag_all);
  for (int i = 0; i < workers; ++i) {
    values[0] = i;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(values, few, 1);
    pvm_send(task[i], tag_each);
  }
  for (int i = 0; i < workers; ++i) pvm_recv(-1, tag_answer);
  pvm_exit();
  return 0;
}
