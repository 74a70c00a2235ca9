/* One task sends another a message of several parts, which that one unpacks one after the other:
 * pvm_streams PARTS BYTES PAUSE. The receiver pauses (us) before each part and prints when, by its clock, the
 * receive and each part's unpacking ended, in us from the receive on; and whether the data were right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <pvm3.h>

static double now_us(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return 1e6 * (double)now.tv_sec + (double)now.tv_usec;
}

static char byte_of(int part, int at) {
  return (char)(7 * part + at);
}

static void send_parts(int to, int parts, int bytes) {
  char* data = malloc((size_t)bytes);
  pvm_initsend(PvmDataRaw);
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < bytes; ++i) data[i] = byte_of(part, i);
    pvm_pkbyte(data, bytes, 1);
  }
  pvm_send(to, 1);
  free(data);
}

static void unpack_parts(int parts, int bytes, int pause) {
  char* data = malloc((size_t)bytes);
  int wrong = 0;
  pvm_recv(-1, 1);
  const double begin = now_us();
  for (int part = 0; part < parts; ++part) {
    if (pause > 0) usleep((unsigned)pause);
    memset(data, 0, (size_t)bytes);
    if (pvm_upkbyte(data, bytes, 1) != PvmOk) ++wrong;
    printf("part %d at %.0f\n", part + 1, now_us() - begin);
    for (int i = 0; i < bytes; ++i) wrong += data[i] != byte_of(part, i);
  }
  printf("%s\n", wrong == 0 && pvm_upkbyte(data, 1, 1) == PvmNoData ? "PASS" : "FAIL");
  free(data);
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const int parts = atoi(words[1]), bytes = atoi(words[2]), pause = atoi(words[3]);
  const int parent = pvm_parent();
  if (parent > 0) {
    send_parts(parent, parts, bytes);
  } else {
    int child = 0;
    pvm_setopt(PvmAutoErr, 0);
    if (pvm_spawn(words[0], words + 1, PvmTaskDefault, "", 1, &child) != 1) return 1;
    unpack_parts(parts, bytes, pause);
  }
  pvm_exit();
  return 0;
}
