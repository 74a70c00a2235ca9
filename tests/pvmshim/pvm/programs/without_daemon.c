/* What PVM's calls return where there is no daemon, and what those return that need none. */

#include <pvm3.h>
#include <stdio.h>

static void buffers(void) {
  char byte = 0;
  printf("handles:");
  for (int i = 0; i < 60; ++i) printf(" %d", pvm_mkbuf(PvmDataDefault));
  printf("\nreused:");
  pvm_freebuf(20);
  pvm_freebuf(3);
  for (int i = 0; i < 3; ++i) printf(" %d", pvm_mkbuf(PvmDataRaw));
  printf("\nfree: %d %d %d\n", pvm_freebuf(0), pvm_freebuf(-1), pvm_freebuf(999));
  printf("set send: %d %d %d\n", pvm_setsbuf(0), pvm_setsbuf(-1), pvm_setsbuf(999));
  printf("set receive: %d %d %d\n", pvm_setrbuf(0), pvm_setrbuf(-1), pvm_setrbuf(999));
  printf("set and get: %d", pvm_setsbuf(5));
  printf(" %d", pvm_setsbuf(6));
  printf(" %d", pvm_getsbuf());
  printf(" %d", pvm_setrbuf(6));
  printf(" %d %d\n", pvm_getsbuf(), pvm_getrbuf());
  pvm_setrbuf(0);
  printf("pack nowhere: %d, unpack: %d\n", pvm_pkbyte(&byte, 1, 1), pvm_upkbyte(&byte, 1, 1));
  printf("pack less than nothing: %d, unpack: %d\n", pvm_pkbyte(&byte, -1, 1), pvm_upkbyte(&byte, -1, 1));
  printf("strings: %d %d\n", pvm_pkstr("x"), pvm_upkstr(&byte));
  printf("formats: %d %d\n", pvm_packf("%d", 1), pvm_unpackf("%d", &byte));
  printf("encodings: %d %d\n", pvm_mkbuf(3), pvm_initsend(-1));
  printf("bufinfo: %d %d\n", pvm_bufinfo(0, 0, 0, 0), pvm_bufinfo(999, 0, 0, 0));
  printf("messages in messages: %d %d %d\n", pvm_pkmesg(0), pvm_pkmesg(999), pvm_upkmesg());
  pvm_setsbuf(7);
  printf("in itself: %d %d\n", pvm_pkmesg(7), pvm_pkmesgbody(7));
}

static void options(void) {
  printf("options:");
  for (int what = 0; what < 27; ++what) printf(" %d:%d", what, pvm_getopt(what));
  printf("\nset to 2:");
  for (int what = 0; what < 27; ++what)
    if (what != PvmAutoErr) printf(" %d:%d", what, pvm_setopt(what, 2));
  printf("\nthen:");
  for (int what = 0; what < 27; ++what) printf(" %d:%d", what, pvm_getopt(what));
  printf("\n");
}

static int handler(int message) {
  return message;
}

static void handlers(void) {
  printf("handlers: %d", pvm_addmhf(1, 2, 3, handler));
  printf(" %d", pvm_addmhf(1, 2, 3, handler));
  printf(" %d", pvm_addmhf(-1, 2, 3, handler));
  printf(" %d", pvm_addmhf(1, 3, 3, handler));
  printf(" %d", pvm_addmhf(1, 4, 3, handler));
  printf(" %d", pvm_addmhf(1, 5, -1, handler));
  printf("\ndeleted: %d", pvm_delmhf(1));
  printf(" %d", pvm_delmhf(1));
  printf(" %d", pvm_delmhf(-1));
  printf(" %d", pvm_delmhf(99));
  printf(" %d", pvm_delmhf(0));
  printf("\nagain: %d", pvm_addmhf(7, 8, 9, handler));
  printf(" %d", pvm_addmhf(7, 9, 9, handler));
  printf(" %d\n", pvm_addmhf(7, 10, 9, handler));
}

static void calls_for_the_daemon(void) {
  int number = 0;
  int* numbers = &number;
  char* names[] = {"somewhere"};
  struct timeval time = {0, 1};
  printf("tasks: %d %d %d %d %d\n", pvm_mytid(), pvm_parent(), pvm_siblings(&numbers), pvm_pstat(1),
         pvm_spawn("x", 0, 0, 0, 1, &number));
  printf("messages: %d %d %d %d %d\n", pvm_send(1, 1), pvm_recv(1, 1), pvm_nrecv(1, 1), pvm_probe(1, 1),
         pvm_trecv(1, 1, &time));
  printf("typed messages: %d %d\n", pvm_psend(1, 1, &number, 1, PVM_INT),
         pvm_precv(1, 1, &number, 1, PVM_INT, 0, 0, 0));
  printf("mcast: %d, notify: %d, kill: %d, sendsig: %d\n", pvm_mcast(&number, 1, 1),
         pvm_notify(PvmTaskExit, 1, 1, &number), pvm_kill(1), pvm_sendsig(1, 1));
  printf("hosts: %d %d %d %d %d\n", pvm_config(0, 0, 0), pvm_tasks(0, 0, 0), pvm_addhosts(names, 1, &number),
         pvm_delhosts(names, 1, &number), pvm_mstat("somewhere"));
  printf("mailboxes: %d %d %d %d\n", pvm_putinfo("x", 5, 0), pvm_recvinfo("x", 0, 0), pvm_delinfo("x", 0, 0),
         pvm_getmboxinfo("x", 0, 0));
  printf("contexts: %d %d %d\n", pvm_newcontext(), pvm_setcontext(5), pvm_getcontext());
  printf("groups: %d %d %d %d\n", pvm_joingroup("x"), pvm_barrier("x", 1), pvm_gsize("x"),
         pvm_gettid("x", 0));
  printf("no group: %d %d %d\n", pvm_joingroup(""), pvm_barrier(0, 1), pvm_getinst("", 1));
  printf("host of a task: %x\n", pvm_tidtohost(0xc0007));
  printf("exit: %d, version: %s\n", pvm_exit(), pvm_version());
}

int main(void) {
  pvm_setopt(PvmAutoErr, 0);
  buffers();
  handlers();
  calls_for_the_daemon();
  options();
  return 0;
}
