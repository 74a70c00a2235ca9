/* One task sends another a message of several parts, which that one packs a number behind and sends back
 * before it looks into it: relay PARTS BYTES. The relay prints when, by its clock, it had the message sent
 * on, in us from the receive on; and whether it can then unpack all of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <pvm3.h>

static double now_us(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return 1e6 * (double)now.tv_sec + (double)now.tv_usec;
}

/* Unpacks the parts and the number behind them, and nothing else. */
static int is_right(int parts, int bytes) {
  char* data = malloc((size_t)bytes);
  int right = 1, number = 0;
  for (int part = 0; part < parts; ++part) {
    memset(data, 0, (size_t)bytes);
    right = right && pvm_upkbyte(data, bytes, 1) == PvmOk;
    for (int i = 0; i < bytes; ++i) right = right && data[i] == (char)(part + i);
  }
  free(data);
  right = right && pvm_upkint(&number, 1, 1) == PvmOk && number == 4711;
  return right && pvm_upkint(&number, 1, 1) == PvmNoData;
}

static void send_and_get_back(int to, int parts, int bytes) {
  char* data = malloc((size_t)bytes);
  pvm_initsend(PvmDataRaw);
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < bytes; ++i) data[i] = (char)(part + i);
    pvm_pkbyte(data, bytes, 1);
  }
  pvm_send(to, 1);
  free(data);
  pvm_recv(to, 2);
  int right = is_right(parts, bytes);
  pvm_initsend(PvmDataRaw);
  pvm_pkint(&right, 1, 1);
  pvm_send(to, 3);
}

static void relay(int to, int parts, int bytes) {
  int number = 4711, right = 0;
  const int message = pvm_recv(to, 1);
  const double begin = now_us();
  pvm_setsbuf(message);
  pvm_pkint(&number, 1, 1);
  pvm_send(to, 2);
  printf("sent at %.0f\n", now_us() - begin);
  pvm_setsbuf(0);
  pvm_setrbuf(message);
  const int here = is_right(parts, bytes);
  pvm_recv(to, 3);
  pvm_upkint(&right, 1, 1);
  printf("%s\n", here && right ? "PASS" : "FAIL");
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const int parts = atoi(words[1]), bytes = atoi(words[2]);
  const int parent = pvm_parent();
  if (parent > 0) {
    send_and_get_back(parent, parts, bytes);
  } else {
    int child = 0;
    pvm_setopt(PvmAutoErr, 0);
    if (pvm_spawn(words[0], words + 1, PvmTaskDefault, "", 1, &child) != 1) return 1;
    relay(child, parts, bytes);
  }
  pvm_exit();
  return 0;
}
