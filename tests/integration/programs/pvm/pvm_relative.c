/* Starts 2 tasks of itself by the name that it was started by, which may be relative ("./pvm_relative"), and 3
   of a program that there is none of. */
#include <stdio.h>

#include <pvm3.h>

enum { workers = 2, missing = 3, tag = 1 };

int main(int count, char** arguments) {
  int task[missing], started, number = 0;
  (void)count;
  if (pvm_parent() > 0) {
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    pvm_send(pvm_parent(), tag);
    return pvm_exit() < 0;
  }
  started = pvm_spawn(arguments[0], 0, PvmTaskDefault, "", workers, task);
  printf("started %d and %d\n", started, pvm_spawn("./no_such_worker", 0, PvmTaskDefault, "", missing, task));
  for (int i = 0; i < started; ++i) pvm_recv(-1, tag);
  pvm_exit();
  return 0;
}
