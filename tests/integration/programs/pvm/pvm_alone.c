/* A task that starts no other; with an argument it meets itself in a group. */
#include <pvm3.h>
#include <stddef.h>

int main(int count, char** arguments) {
  (void)arguments;
  if (pvm_mytid() < 0) return 1;
  if (count < 2) return 0;
  char group[] = "alone";
  int value = 1;
  if (pvm_joingroup(group) != 0 || pvm_gsize(group) != 1) return 1;
  if (pvm_barrier(group, 1) != PvmOk) return 1;
  if (pvm_reduce(PvmSum, &value, 1, PVM_INT, 1, group, 0) != PvmOk) return 1;
  if (pvm_lvgroup(group) != PvmOk) return 1;
  pvm_exit();
  return 0;
}
