/* LogP's parameters between two processes, measured over Active Messages II as in D. Culler, L. T. Liu, R. P.
 * Martin, C. O. Yoshikawa: Assessing Fast Network Interfaces, 1996. Process 0 sends requests of four words,
 * which process 1 answers with as many; any further processes only wait for the end. Times are in
 * microseconds.
 *
 *   round trip   a request, and its reply handled, one after the other
 *   o_s          the time in AM_Request
 *   o_r          the time in an AM_Poll that finds a reply which came long ago
 *   L            half a round trip without o_s and o_r
 *   g            the time for each request where as many are under way as there are credits */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "am2.h"

enum { on_request = 1, on_reply, on_end };

static int replies = 0, ended = 0;

static void handle_request(void* token, int a, int b, int c, int d) {
  if (AM_Reply4(token, on_reply, a, b, c, d) != AM_OK) abort();
}

static void handle_reply(void* token, int a, int b, int c, int d) {
  (void)token, (void)a, (void)b, (void)c, (void)d;
  ++replies;
}

static void handle_end(void* token) {
  (void)token;
  ended = 1;
}

static void must(int result) {
  if (result == AM_OK) return;
  fprintf(stderr, "am2.logp: a call of Active Messages failed with %d\n", result);
  exit(1);
}

static void sleep_us(long us) {
  const struct timespec time = {0, us * 1000};
  nanosleep(&time, NULL);
}

static void request(ep_t endpoint) {
  must(AM_Request4(endpoint, 1, on_request, 1, 2, 3, 4));
}

static void wait_for(eb_t bundle, int count) {
  while (replies < count) must(AM_Poll(bundle));
}

static double round_trip(eb_t bundle, ep_t endpoint, int rounds) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    request(endpoint);
    wait_for(bundle, replies + 1);
  }
  return (MPI_Wtime() - begin) / rounds * 1e6;
}

/* A request is sent, and its reply handled, when nothing else is under way. */
static void overheads(eb_t bundle, ep_t endpoint, int rounds, double* send, double* receive) {
  *send = *receive = 0;
  for (int i = 0; i < rounds; ++i) {
    const int before = replies;
    double begin = MPI_Wtime();
    request(endpoint);
    *send += MPI_Wtime() - begin;
    sleep_us(1000);
    begin = MPI_Wtime();
    must(AM_Poll(bundle));
    *receive += MPI_Wtime() - begin;
    wait_for(bundle, before + 1);
  }
  *send *= 1e6 / rounds;
  *receive *= 1e6 / rounds;
}

static double gap(eb_t bundle, ep_t endpoint, int rounds) {
  const int before = replies;
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) request(endpoint);
  wait_for(bundle, before + rounds);
  return (MPI_Wtime() - begin) / rounds * 1e6;
}

int main(int count, char** words) {
  const int rounds = count < 2 ? 1000 : words[1][strspn(words[1], "0123456789")] == '\0' ? atoi(words[1]) : 0;
  eb_t bundle;
  ep_t endpoint;
  en_t name;
  must(AM_Init());
  if (AM_Ranks() < 2 || rounds < 1) {
    fprintf(stderr, "usage: am2.logp [ROUNDS], with at least two processes\n");
    return 1;
  }
  must(AM_AllocateBundle(AM_SEQ, &bundle));
  must(AM_AllocateEndpoint(bundle, &endpoint, &name));
  must(AM_SetTag(endpoint, AM_ALL));
  must(AM_SetHandler(endpoint, on_request, (am_handler_fn)handle_request));
  must(AM_SetHandler(endpoint, on_reply, (am_handler_fn)handle_reply));
  must(AM_SetHandler(endpoint, on_end, (am_handler_fn)handle_end));
  for (int rank = 0; rank < AM_Ranks(); ++rank) {
    must(AM_Name(rank, &name));
    must(AM_Map(endpoint, rank, name, AM_ALL));
  }
  if (AM_Rank() == 0) {
    double send, receive;
    round_trip(bundle, endpoint, 10);
    const double trip = round_trip(bundle, endpoint, rounds);
    overheads(bundle, endpoint, rounds < 100 ? rounds : 100, &send, &receive);
    const double each = gap(bundle, endpoint, rounds);
    printf("round trip %.3f us\no_s %.3f us\no_r %.3f us\nL %.3f us\ng %.3f us\n", trip, send, receive,
           trip / 2 - send - receive, each);
    for (int rank = 1; rank < AM_Ranks(); ++rank) must(AM_Request0(endpoint, rank, on_end));
  } else {
    must(AM_SetEventMask(bundle, AM_NOTEMPTY));
    while (!ended) {
      if (AM_Rank() > 1) must(AM_WaitSema(bundle));
      must(AM_Poll(bundle));
    }
  }
  must(AM_Terminate());
  return 0;
}
