/* A server and its clients over Active Messages II, as in section 5.3 of B. N. Chun, A. M. Mainwaring, D. E.
 * Culler: Virtual Network Transport Protocols for Myrinet, 1997. Process 0 answers the requests of four words
 * of all others, which have as many under way as they have credits; with `one` endpoint for all of them, or
 * one for `each`. It prints the requests that it answered a second, and the slowest and the fastest client's
 * share of an equal one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "am2.h"

enum { on_request = 1, on_reply, on_end };

static int replies = 0, answered = 0, ended = 0;
static double first, last, slowest, fastest;

static void handle_request(void* token, int a, int b, int c, int d) {
  if (AM_Reply4(token, on_reply, a, b, c, d) != AM_OK) abort();
  last = MPI_Wtime();
  if (answered++ == 0) first = last;
}

static void handle_reply(void* token, int a, int b, int c, int d) {
  (void)token, (void)a, (void)b, (void)c, (void)d;
  ++replies;
}

/* A client's requests have taken so long. */
static void handle_end(void* token, int ns_each) {
  (void)token;
  const double rate = 1e9 / ns_each;
  if (ended == 0 || rate < slowest) slowest = rate;
  if (ended == 0 || rate > fastest) fastest = rate;
  ++ended;
}

static void must(int result) {
  if (result == AM_OK) return;
  fprintf(stderr, "am2.clients: a call of Active Messages failed with %d\n", result);
  exit(1);
}

static ep_t new_endpoint(eb_t bundle) {
  ep_t endpoint;
  en_t name;
  must(AM_AllocateEndpoint(bundle, &endpoint, &name));
  must(AM_SetTag(endpoint, AM_ALL));
  must(AM_SetHandler(endpoint, on_request, (am_handler_fn)handle_request));
  must(AM_SetHandler(endpoint, on_reply, (am_handler_fn)handle_reply));
  must(AM_SetHandler(endpoint, on_end, (am_handler_fn)handle_end));
  return endpoint;
}

static void serve(eb_t bundle, int endpoints, int clients) {
  for (int i = 0; i < endpoints; ++i) new_endpoint(bundle);
  while (ended < clients) must(AM_Poll(bundle));
  const double rate = (answered - 1) / (last - first);
  printf("%.0f requests/s, shares %.3f to %.3f\n", rate, slowest * clients / rate, fastest * clients / rate);
}

static void ask(eb_t bundle, en_t server, int requests) {
  const ep_t endpoint = new_endpoint(bundle);
  must(AM_Map(endpoint, 0, server, AM_ALL));
  const double begin = MPI_Wtime();
  for (int i = 0; i < requests; ++i) must(AM_Request4(endpoint, 0, on_request, i, 2, 3, 4));
  must(AM_SetEventMask(bundle, AM_NOTEMPTY));
  while (replies < requests) {
    must(AM_WaitSema(bundle));
    must(AM_Poll(bundle));
  }
  must(AM_Request1(endpoint, 0, on_end, (int)((MPI_Wtime() - begin) / requests * 1e9)));
}

int main(int count, char** words) {
  const int requests = count == 3 ? atoi(words[2]) : 0;
  const int each = count == 3 && strcmp(words[1], "each") == 0;
  must(AM_Init());
  const int clients = AM_Ranks() - 1;
  if (requests < 2 || (!each && strcmp(words[1], "one") != 0) || clients < 1 || clients > AM_MAX_ENDPOINTS) {
    fprintf(stderr, "usage: am2.clients one|each REQUESTS, with 2 to %d processes\n", AM_MAX_ENDPOINTS + 1);
    return 1;
  }
  eb_t bundle;
  must(AM_AllocateBundle(AM_SEQ, &bundle));
  if (AM_Rank() == 0)
    serve(bundle, each ? clients : 1, clients);
  else
    ask(bundle, (en_t){0, each ? AM_Rank() - 1 : 0}, requests);
  must(AM_Terminate());
  return 0;
}
