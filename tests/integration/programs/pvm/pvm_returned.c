/* A task receives, 1 s after it was sent, a message so long that its data must be asked for, over a network
 * that has died meanwhile. It prints what pvm_recv returns. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pvm3.h>

enum { bytes = 200000 };

int main(int count, char** words) {
  const int parent = pvm_parent();
  (void)count;
  if (parent > 0) {
    char* data = calloc(bytes, 1);
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte(data, bytes, 1);
    printf("sent: %d\n", pvm_send(parent, 1));
    fflush(stdout);
  } else {
    int child = 0;
    if (pvm_spawn(words[0], NULL, PvmTaskDefault, "", 1, &child) != 1) return 1;
    sleep(1);
    const int result = pvm_recv(child, 1);
    printf("received: %s\n", result == PvmHostFail ? "PvmHostFail"
                             : result > 0          ? "a message"
                                                   : "another error");
    fflush(stdout);
  }
  pvm_exit();
  return 0;
}
