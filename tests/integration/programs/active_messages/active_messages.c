/* The rules of Active Messages II (am2.h) between two processes. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "am2.h"
#include "check.h"

#define EXPECT(condition) CHECK(condition, "%s", #condition)

enum { on_words = 1, on_none, on_medium, on_bulk, on_silent, on_answer, on_answer_bulk, on_end };

static int answers = 0, sum = 0, ended = 0, silent = 0, errors = 0, last_error = 0, last_handler = 0;
static op_t last_operation;
static int own[2000], theirs[2000];
static eb_t bundle, other_bundle;
static ep_t endpoint, other_endpoint;

/* Of eight words: the k-th is 10^k. */
static void words(void* token, int a, int b, int c, int d, int e, int f, int g, int h) {
  EXPECT(AM_Poll(bundle) == AM_ERR_BAD_ARG);
  EXPECT(AM_Request0(endpoint, 1, on_none) == AM_ERR_BAD_ARG);
  EXPECT(AM_Reply1(token, on_answer, a + b + c + d + e + f + g + h) == AM_OK);
  EXPECT(AM_Reply1(token, on_answer, 0) == AM_ERR_RESOURCE); /* a second one */
}
static void none(void* token) {
  EXPECT(AM_Reply1(token, on_answer, 7) == AM_OK);
}
static void medium(void* token, void* data, int bytes, int first) {
  int seen = 0;
  for (int i = 0; i < bytes; ++i) seen += ((unsigned char*)data)[i];
  EXPECT(AM_ReplyI1(token, on_medium, data, bytes, seen + first) == AM_OK);
}
static void medium_back(void* token, void* data, int bytes, int seen) {
  EXPECT(AM_Reply0(token, on_none) == AM_ERR_RESOURCE); /* a reply has none */
  EXPECT(bytes == 0 || ((unsigned char*)data)[0] == 1);
  ++answers;
  sum += seen;
}
static void bulk(void* token, void* data, int bytes, int first) {
  EXPECT(data == own + 100 && bytes == 400 && first == 5);
  EXPECT(AM_ReplyXfer0(token, 4000, on_answer_bulk, data, bytes) == AM_OK);
}
static void bulk_back(void* token, void* data, int bytes) {
  ep_t there;
  en_t from;
  EXPECT(AM_GetDestEndpoint(token, &there) == AM_OK && there == endpoint);
  EXPECT(AM_GetSourceEndpoint(token, &from) == AM_OK && from.rank == 1 && from.number == 0);
  EXPECT(data == own + 1000 && bytes == 400);
  ++answers;
}
static void silence(void* token) {
  (void)token;
  ++silent;
}
static void answer(void* token, int value) {
  (void)token;
  ++answers;
  sum += value;
}
static void end(void* token) {
  (void)token;
  ended = 1;
}
static void on_error(int status, op_t opcode, void* argblock) {
  const am_argblock* arguments = argblock;
  EXPECT(arguments->to.rank == 1 && arguments->count == 1);
  ++errors;
  last_error = status;
  last_operation = opcode;
  last_handler = arguments->handler;
}

static void wait_for_answers(int count) {
  while (answers < count) AM_Poll(bundle);
}

static void expect_error(int status, op_t operation, handler_t handler) {
  const int before = errors;
  while (errors == before) AM_Poll(bundle);
  EXPECT(last_error == status && last_operation == operation && last_handler == handler);
}

static void map(ep_t from, int index, int rank, int number, tag_t tag) {
  const en_t name = {rank, number};
  EXPECT(AM_Map(from, index, name, tag) == AM_OK);
}

static void check_bad_use(void) {
  const en_t nobody = {2, 0};
  int index;
  EXPECT(AM_Map(endpoint, 9, nobody, AM_ALL) == AM_ERR_BAD_ARG);
  EXPECT(AM_Map(endpoint, 1, (en_t){1, 0}, AM_ALL) == AM_ERR_IN_USE);
  EXPECT(AM_UnMap(endpoint, 9) == AM_ERR_BAD_ARG);
  EXPECT(AM_MapAny(endpoint, &index, (en_t){1, 0}, AM_ALL) == AM_OK && index == 5);
  EXPECT(AM_UnMap(endpoint, index) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_none, (am_handler_fn)none) == AM_ERR_IN_USE);
  EXPECT(AM_SetHandler(endpoint, 0, NULL) == AM_ERR_BAD_ARG);
  en_t name;
  tag_t tag;
  EXPECT(AM_GetTranslationName(endpoint, 3, &name) == AM_OK && name.rank == 1 && name.number == 2);
  EXPECT(AM_GetTranslationTag(endpoint, 2, &tag) == AM_OK && tag == 16);
  EXPECT(AM_GetTranslationInuse(endpoint, 9) == AM_ERR_BAD_ARG);
  EXPECT(AM_Request0(endpoint, 9, on_none) == AM_ERR_BAD_ARG);
  EXPECT(AM_Request0(endpoint, 1, 0) == AM_ERR_BAD_ARG);
  EXPECT(AM_RequestI0(endpoint, 1, on_medium, own, AM_MaxMedium() + 1) == AM_ERR_BAD_ARG);
  EXPECT(AM_RequestXfer0(endpoint, 1, 0, on_bulk, own, INT_MAX) == AM_ERR_BAD_ARG);
  EXPECT(AM_Reply0(&index, on_none) == AM_ERR_RESOURCE); /* outside of a handler */
  EXPECT(AM_WaitSema(bundle) == AM_ERR_BAD_ARG);         /* nobody would wake it */
  EXPECT(AM_SetExpectedResources(endpoint, 1, AM_CREDITS + 1) == AM_ERR_RESOURCE);
  EXPECT(AM_MoveEndpoint(endpoint, other_bundle, bundle) == AM_ERR_BAD_ARG);
  ep_t closed;
  EXPECT(AM_AllocateEndpoint(bundle, &closed, &name) == AM_OK && AM_FreeEndpoint(closed) == AM_OK);
  EXPECT(AM_Request0(closed, 1, on_none) == AM_ERR_BAD_ARG);
}

static void ask(void) {
  unsigned char bytes[300];
  memset(bytes, 1, sizeof bytes);
  check_bad_use();
  EXPECT(AM_Request8(endpoint, 1, on_words, 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000) == AM_OK);
  wait_for_answers(1);
  EXPECT(sum == 11111111);
  EXPECT(AM_RequestI1(endpoint, 1, on_medium, bytes, 300, 5) == AM_OK);
  EXPECT(AM_RequestI1(endpoint, 1, on_medium, NULL, 0, 5) == AM_OK);
  wait_for_answers(3);
  EXPECT(sum == 11111111 + 305 + 5);
  for (int i = 0; i < 100; ++i) theirs[i] = i * i;
  EXPECT(AM_RequestXfer1(endpoint, 1, 400, on_bulk, theirs, 400, 5) == AM_OK);
  wait_for_answers(4);
  EXPECT(memcmp(own + 1000, theirs, 400) == 0);
  /* More requests than credits, each of which only the library's empty reply brings back. */
  for (int i = 0; i < 20; ++i) EXPECT(AM_Request0(endpoint, 1, on_silent) == AM_OK);
  /* What comes back brings its credit with it: six each, of four. */
  for (int i = 0; i < 6; ++i) {
    EXPECT(AM_Request1(endpoint, 2, on_none, 0) == AM_OK);
    expect_error(EBADTAG, AM_REQUEST_M, on_none);
    EXPECT(AM_RequestI1(endpoint, 1, 99, bytes, 10, 0) == AM_OK);
    expect_error(EBADHANDLER, AM_REQUEST_IM, 99);
    EXPECT(AM_RequestXfer1(endpoint, 1, 7900, on_bulk, bytes, 101, 0) == AM_OK);
    expect_error(EBADLENGTH, AM_REQUEST_XFER_M, on_bulk);
    EXPECT(AM_RequestXfer1(endpoint, 1, 8001, on_bulk, bytes, 1, 0) == AM_OK);
    expect_error(EBADSEGOFF, AM_REQUEST_XFER_M, on_bulk);
    EXPECT(AM_Request1(endpoint, 3, on_none, 0) == AM_OK);
    expect_error(EBADENDPOINT, AM_REQUEST_M, on_none);
  }
  /* The other's second endpoint, which has a bundle and a tag of its own; this one's answers wait for theirs.
   */
  EXPECT(AM_Request0(other_endpoint, 0, on_none) == AM_OK);
  const int before = answers;
  EXPECT(AM_SetEventMask(other_bundle, AM_NOTEMPTY) == AM_OK && AM_WaitSema(other_bundle) == AM_OK);
  AM_Poll(bundle);
  EXPECT(answers == before);
  AM_Poll(other_bundle);
  EXPECT(answers == before + 1);
  EXPECT(AM_Request0(endpoint, 1, on_end) == AM_OK);
}

/* By now the other one's cable is dead. */
static void expect_unreachable(void) {
  const struct timespec time = {0, 5000000};
  nanosleep(&time, NULL);
  EXPECT(AM_Request1(endpoint, 1, on_none, 0) == AM_OK);
  expect_error(EUNREACHABLE, AM_REQUEST_M, on_none);
  printf("EUNREACHABLE\n");
  fflush(stdout);
}

int main(int count, char** arguments) {
  en_t name;
  MPI_Init(&count, &arguments);
  EXPECT(AM_Poll(bundle) == AM_ERR_NOT_INIT);
  EXPECT(AM_Init() == AM_OK && AM_Ranks() == 2);
  EXPECT(AM_AllocateBundle(AM_SEQ, &bundle) == AM_OK && AM_AllocateBundle(AM_SEQ, &other_bundle) == AM_OK);
  EXPECT(AM_AllocateEndpoint(bundle, &endpoint, &name) == AM_OK && name.number == 0);
  EXPECT(AM_AllocateEndpoint(other_bundle, &other_endpoint, &name) == AM_OK && name.number == 1);
  const int asks = AM_Rank() == 0;
  EXPECT(AM_SetTag(endpoint, 17) == AM_OK && AM_SetTag(other_endpoint, 18) == AM_OK);
  EXPECT(AM_SetSeg(endpoint, own, sizeof own) == AM_OK);
  const int cut_off = count > 1 && strcmp(arguments[1], "cut-off") == 0;
  if (count == 1 || cut_off)
    EXPECT(AM_SetHandler(endpoint, 0, (am_handler_fn)on_error) == AM_OK); /* else the default */
  EXPECT(AM_SetHandler(endpoint, on_words, (am_handler_fn)words) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_none, (am_handler_fn)none) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_medium, (am_handler_fn)(asks ? medium_back : medium)) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_bulk, (am_handler_fn)bulk) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_silent, (am_handler_fn)silence) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_answer, (am_handler_fn)answer) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_answer_bulk, (am_handler_fn)bulk_back) == AM_OK);
  EXPECT(AM_SetHandler(endpoint, on_end, (am_handler_fn)end) == AM_OK);
  EXPECT(AM_SetHandler(other_endpoint, on_none, (am_handler_fn)none) == AM_OK);
  EXPECT(AM_SetHandler(other_endpoint, on_answer, (am_handler_fn)answer) == AM_OK);
  map(endpoint, 0, 0, 0, 17);
  map(endpoint, 1, 1, 0, 17);
  map(endpoint, 2, 1, 0, 16); /* a wrong tag */
  map(endpoint, 3, 1, 2, 17); /* no such endpoint */
  map(endpoint, 4, 1, 1, 18);
  map(other_endpoint, 0, 1, 1, 18);
  if (cut_off) {
    if (asks) expect_unreachable();
  } else if (asks) {
    ask();
  } else {
    while (!ended) {
      AM_Poll(bundle);
      AM_Poll(other_bundle);
    }
    EXPECT(silent == 20);
  }
  EXPECT(AM_Terminate() == AM_OK && AM_Terminate() == AM_ERR_NOT_INIT);
  return verdict("active messages");
}
