/* A task that is gone without a word: neither pvm_exit nor what happens at a process's exit. */
#include <unistd.h>

#include <pvm3.h>

int main(void) {
  if (pvm_mytid() < 0) return 1;
  _exit(0);
}
