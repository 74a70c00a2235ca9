/* A parent and its children talk in every way that PVM has. Prints nothing that depends on task ids, on times
 * or on who is faster: the same lines over the real daemon and in an emulated machine. */

#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { children = 3, tag_hello = 10, tag_end = 99, tag_exit = 77 };

extern int pvm_errno;

static int ids[children];

static int child_number(int task) {
  for (int i = 0; i < children; ++i)
    if (ids[i] == task) return i;
  return task == pvm_mytid() ? 100 : -1;
}

static void describe(const char* what, int message) {
  int bytes = 0, tag = 0, source = 0;
  if (message <= 0) {
    printf("%s: %d\n", what, message);
    return;
  }
  pvm_bufinfo(message, &bytes, &tag, &source);
  printf("%s: %d bytes, tag %d, from %d\n", what, bytes, tag, child_number(source));
}

/* Tells the children to do something: they read commands until the end. */
static void command(int child, int what, int argument) {
  pvm_initsend(PvmDataDefault);
  pvm_pkint(&what, 1, 1);
  pvm_pkint(&argument, 1, 1);
  pvm_send(ids[child], tag_hello);
}

enum { send_tags, send_typed, join_and_gather, send_to_mailbox, send_in_context, leave, hang };

static int reversed_sum(int a, int b) {
  return a * 10 + b;
}

static void combine(int* type, void* x, void* y, int* count, int* result) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)x)[i] = reversed_sum(((int*)x)[i], 1) + ((int*)y)[i];
  *result = PvmOk;
}

static void group_work(int instance) {
  int numbers[2], all[2 * (children + 1)], sum[2], part[2];
  pvm_barrier("workers", children + 1);
  numbers[0] = instance, numbers[1] = instance * instance;
  const int root = 0;
  pvm_gather(all, numbers, 2, PVM_INT, 5, "workers", root);
  sum[0] = numbers[0], sum[1] = numbers[1];
  pvm_reduce(PvmSum, sum, 2, PVM_INT, 6, "workers", root);
  if (instance == root) {
    printf("gathered:");
    for (int i = 0; i < 2 * (children + 1); ++i) printf(" %d", all[i]);
    printf("\nsum: %d %d\n", sum[0], sum[1]);
    for (int i = 0; i < 2 * (children + 1); ++i) all[i] = i * 3;
  }
  pvm_scatter(part, all, 2, PVM_INT, 7, "workers", root);
  if (instance == root) printf("scattered to the root: %d %d\n", part[0], part[1]);
  sum[0] = 1, sum[1] = 2;
  pvm_reduce(combine, sum, 2, PVM_INT, 8, "workers", root);
  if (instance == root) printf("combined: %d %d\n", sum[0], sum[1]);
  if (part[0] != 6 * instance) printf("wrong part %d of instance %d\n", part[0], instance);
  pvm_barrier("workers", children + 1);
  if (instance == root) {
    printf("size %d, instance of the root's task %d\n", pvm_gsize("workers"),
           pvm_getinst("workers", pvm_gettid("workers", 0)));
    printf("no such instance %d, not in group %d, no such group %d\n", pvm_gettid("workers", 50),
           pvm_getinst("workers", 12345), pvm_gsize("nobody"));
    printf("twice %d\n", pvm_joingroup("workers"));
  }
  pvm_barrier("workers", children + 1);
  pvm_lvgroup("workers");
}

static void child(int parent) {
  while (1) {
    int what = 0, argument = 0;
    pvm_recv(parent, tag_hello);
    pvm_upkint(&what, 1, 1);
    pvm_upkint(&argument, 1, 1);
    switch (what) {
      case send_tags:
        for (int i = 0; i < argument; ++i) {
          pvm_initsend(PvmDataRaw);
          pvm_pkint(&i, 1, 1);
          pvm_send(parent, 20 + i);
        }
        break;
      case send_typed: {
        double numbers[4] = {1.5, 2.5, 3.5, 4.5};
        pvm_psend(parent, 31, numbers, argument, PVM_DOUBLE);
        break;
      }
      case join_and_gather:
        group_work(pvm_joingroup("workers"));
        break;
      case send_to_mailbox:
        pvm_initsend(PvmDataDefault);
        pvm_pkstr("kept for you");
        pvm_putinfo("box", pvm_getsbuf(), argument);
        pvm_send(parent, 41);
        break;
      case send_in_context: {
        const int before = pvm_setcontext(argument);
        pvm_initsend(PvmDataInPlace);
        pvm_pkint(&argument, 1, 1);
        pvm_send(parent, 51);
        pvm_setcontext(before);
        break;
      }
      case leave:
        pvm_exit();
        exit(0);
      case hang:
        pvm_recv(-1, 12345);
        break;
    }
  }
}

static void receives(void) {
  struct timeval short_time = {0, 50000}, no_time = {0, 0};
  command(0, send_tags, 3);
  describe("last first", pvm_recv(ids[0], 22));
  int id = 0;
  while ((id = pvm_probe(ids[0], 21)) == 0) continue;
  describe("probed", id);
  describe("probed again", pvm_probe(-1, 21) == id ? id : -1);
  printf("probing makes nothing current: %d\n", pvm_getrbuf() != id);
  describe("any tag", pvm_recv(ids[0], -1));
  describe("the rest", pvm_recv(-1, -1));
  describe("nothing there", pvm_nrecv(-1, -1));
  describe("nothing in time", pvm_trecv(-1, -1, &short_time));
  describe("nothing at once", pvm_trecv(-1, -1, &no_time));
  command(1, send_tags, 1);
  short_time.tv_sec = 20;
  describe("in time", pvm_trecv(ids[1], -1, &short_time));
}

static void typed_receives(void) {
  double numbers[4] = {0, 0, 0, 0};
  int from = 0, tag = 0, bytes = 0;
  command(2, send_typed, 4);
  printf("precv %d", pvm_precv(-1, 31, numbers, 2, PVM_DOUBLE, &from, &tag, &bytes));
  printf(": %g %g %g, from %d, tag %d, %d bytes\n", numbers[0], numbers[1], numbers[2], child_number(from),
         tag, bytes);
  printf("bad types %d %d %d\n", pvm_precv(-1, -1, numbers, 1, PVM_STR, 0, 0, 0),
         pvm_precv(-1, -1, numbers, 1, 55, 0, 0, 0), pvm_psend(ids[0], 1, numbers, 1, 55));
  printf("to nobody %d %d %d %d\n", pvm_psend(0, 1, numbers, 1, PVM_INT), pvm_send(-1, 1),
         pvm_send(ids[0], -5), pvm_mcast(ids, -1, 1));
}

static int handled = 0;

static int on_message(int message) {
  int number = -1;
  pvm_upkint(&number, 1, 1);
  describe("handled", message);
  handled += 1;
  return 0;
}

static void handlers(void) {
  const int number = pvm_addmhf(-1, 20, 0, on_message);
  command(0, send_tags, 2);
  describe("beside the handler", pvm_recv(-1, -1));
  printf("handled %d\n", handled);
  printf("deleted %d\n", pvm_delmhf(number));
  command(0, send_tags, 1);
  describe("without the handler", pvm_recv(-1, -1));
}

static int prefers_high_tags(int message, int source, int tag) {
  int bytes = 0, is = 0, from = 0;
  (void)source, (void)tag;
  pvm_bufinfo(message, &bytes, &is, &from);
  return is == 22 ? 1 : 0;
}

static void match_functions(void) {
  pvm_recvf(prefers_high_tags);
  command(1, send_tags, 4);
  describe("chosen", pvm_recv(-1, -1));
  pvm_recvf(0);
  describe("the others", pvm_recv(-1, -1));
  describe("the others", pvm_recv(-1, -1));
  describe("the others", pvm_recv(-1, -1));
}

static void contexts(void) {
  const int context = pvm_newcontext(), other = pvm_newcontext();
  printf("contexts differ %d\n", context > 0 && other > 0 && context != other);
  command(2, send_in_context, context);
  command(2, send_tags, 1);
  describe("in this context", pvm_recv(-1, -1));
  pvm_setcontext(context);
  int got = 0;
  describe("in the other", pvm_recv(-1, 51));
  pvm_upkint(&got, 1, 1);
  printf("sent from its place %d\n", got == context);
  pvm_setcontext(0);
  command(2, send_in_context, other);
  pvm_setcontext(-1);
  describe("in any", pvm_recv(-1, -1));
  pvm_setcontext(0);
  printf("freed %d\n", pvm_freecontext(context));
}

static void mailboxes(void) {
  char text[32] = "";
  struct pvmmboxinfo* boxes = 0;
  int count = 0, number = 0;
  command(0, send_to_mailbox, PvmMboxDefault);
  pvm_recv(ids[0], 41);
  printf("kept %d", pvm_recvinfo("box", 0, PvmMboxDefault) > 0);
  printf(" %d", pvm_upkstr(text));
  printf(" '%s'\n", text);
  pvm_initsend(PvmDataDefault);
  printf("of another task %d, nothing there %d, bad names %d %d\n", pvm_putinfo("box", pvm_getsbuf(), 0),
         pvm_recvinfo("empty", 0, 0), pvm_putinfo("", 1, 0), pvm_recvinfo(0, 0, 0));
  printf("own %d", pvm_putinfo("own", pvm_getsbuf(), PvmMboxMultiInstance));
  printf(" %d", pvm_putinfo("own", pvm_getsbuf(), PvmMboxMultiInstance));
  printf(" %d\n", pvm_getmboxinfo("own", &count, &boxes));
  printf("%d: '%s', %d entries, %d %d\n", count, boxes[0].mi_name, boxes[0].mi_nentries,
         boxes[0].mi_indices[0], boxes[0].mi_indices[1]);
  printf("deleted %d", pvm_delinfo("own", 0, 0));
  printf(" %d", pvm_delinfo("own", 1, 0));
  printf(" %d\n", pvm_delinfo("own", 1, 0));
  printf("old calls %d", pvm_insert("number", -1, 42));
  printf(" %d", pvm_lookup("number", -1, &number));
  printf(" %d", number);
  printf(" %d", pvm_delete("number", 0));
  printf(" %d\n", pvm_lookup("number", 0, &number));
}

static void tasks(void) {
  struct pvmtaskinfo* list = 0;
  int count = 0, *all = 0, numbers[2] = {0, 0};
  printf("parent %d, siblings %d, children's states", pvm_parent(), pvm_siblings(&all));
  for (int i = 0; i < children; ++i) printf(" %d", pvm_pstat(ids[i]));
  printf("\nno task %d, no host %d\n", pvm_pstat(0x7ff01), pvm_mstat("nowhere"));
  printf("tasks %d", pvm_tasks(ids[1], &count, &list));
  printf(": %d, child %d, of %d, '%s'\n", count, child_number(list[0].ti_tid), child_number(list[0].ti_ptid),
         strrchr(list[0].ti_a_out, '/') ? strrchr(list[0].ti_a_out, '/') + 1 : list[0].ti_a_out);
  printf("nothing to start %d, no such program %d", pvm_spawn("no-such-program", 0, 0, 0, 0, numbers),
         pvm_spawn("no-such-program", 0, 0, 0, 2, numbers));
  printf(" %d %d\n", numbers[0], numbers[1]);
  printf("nowhere %d", pvm_spawn("conversation", 0, PvmTaskHost, "nowhere", 1, numbers));
  printf(" %d\n", numbers[0]);
}

static void ends(void) {
  int gone = 0;
  pvm_notify(PvmTaskExit, tag_exit, children, ids);
  command(0, leave, 0);
  pvm_recv(-1, tag_exit);
  pvm_upkint(&gone, 1, 1);
  printf("left: %d\n", child_number(gone));
  command(1, hang, 0);
  printf("kill %d\n", pvm_kill(ids[1]));
  describe("told", pvm_recv(-1, tag_exit) > 0 ? 0 : -1);
  pvm_upkint(&gone, 1, 1);
  printf("killed: %d\n", child_number(gone));
  pvm_notify(PvmTaskExit | PvmNotifyCancel, tag_exit, 1, &ids[2]);
  pvm_recv(-1, tag_exit);
  pvm_upkint(&gone, 1, 1);
  printf("cancelled: %d\n", child_number(gone));
  pvm_notify(PvmTaskExit, tag_exit, 1, &ids[0]);
  pvm_recv(-1, tag_exit);
  pvm_upkint(&gone, 1, 1);
  printf("gone before: %d\n", child_number(gone));
  printf("bad notifications %d %d %d\n", pvm_notify(99, 1, 1, ids), pvm_notify(PvmTaskExit, 1, 0, ids),
         pvm_notify(PvmTaskExit, 1, 1, &gone) /* of a task that is gone: fine */);
  command(2, leave, 0);
}

int main(void) {
  const int parent = pvm_parent();
  setvbuf(stdout, 0, _IOLBF, 0);
  if (parent > 0) child(parent);
  pvm_setopt(PvmAutoErr, 0);
  printf("spawned %d\n", pvm_spawn("conversation", 0, PvmTaskDefault, 0, children, ids));
  receives();
  typed_receives();
  handlers();
  match_functions();
  contexts();
  mailboxes();
  tasks();
  const int instance = pvm_joingroup("workers");
  for (int i = 0; i < children; ++i) command(i, join_and_gather, 0);
  pvm_joingroup("solo");
  printf("alone %d %d\n", pvm_gsize("solo"), pvm_barrier("solo", 1));
  pvm_initsend(PvmDataDefault);
  printf("to nobody but me %d\n", pvm_bcast("solo", 1));
  printf("left %d", pvm_lvgroup("solo"));
  printf(", again %d\n", pvm_lvgroup("solo"));
  group_work(instance);
  ends();
  printf("exit %d\n", pvm_exit());
  printf("after it %d\n", pvm_parent());
  printf("exit %d\n", pvm_exit());
  return 0;
}
