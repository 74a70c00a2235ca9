/* A server and its clients over Active Messages II, as in sections 5.3 and 5.4 of B. N. Chun, A. M.
 * Mainwaring, D. E. Culler: Virtual Network Transport Protocols for Myrinet, 1997. Clients send requests of
 * four words, with so many bytes if they are named (medium messages), as many at a time as they have credits,
 * for so many milliseconds; the server answers with four words.
 *
 *   one       process 0 answers all others at one endpoint
 *   each      process 0 has an endpoint for each, and polls them all
 *   threads   process 0 has a thread for each client, which sleeps until its endpoint has a message and then
 *             handles all that there are
 *
 * Of the time after the first fifth it prints the requests that were answered a second, and the slowest and
 * the fastest client's share of an equal one; to a file, too, if one is named. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "am2.h"
#include "examples/numbers.h"

enum { on_request = 1, on_medium_request, on_reply, on_end };

static int under_way = 0, counted = 0;
static _Thread_local int handled = 0, ended = 0;
static double begin, from, until;

static void handle_request(void* token, int a, int b, int c, int d) {
  ++handled;
  if (AM_Reply4(token, on_reply, a, b, c, d) != AM_OK) abort();
}

static void handle_medium_request(void* token, void* data, int bytes, int a, int b, int c, int d) {
  (void)data, (void)bytes;
  handle_request(token, a, b, c, d);
}

static void handle_reply(void* token, int a, int b, int c, int d) {
  const double now = MPI_Wtime();
  (void)token, (void)a, (void)b, (void)c, (void)d;
  --under_way;
  if (now >= from && now < until) ++counted;
}

static void handle_end(void* token) {
  (void)token;
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
  must(AM_SetHandler(endpoint, on_medium_request, (am_handler_fn)handle_medium_request));
  must(AM_SetHandler(endpoint, on_reply, (am_handler_fn)handle_reply));
  must(AM_SetHandler(endpoint, on_end, (am_handler_fn)handle_end));
  return endpoint;
}

static void serve(eb_t bundle, int endpoints, int clients) {
  for (int i = 0; i < endpoints; ++i) new_endpoint(bundle);
  while (ended < clients) must(AM_Poll(bundle));
}

static void* serve_one(void* given) {
  const eb_t bundle = given;
  while (ended == 0) {
    must(AM_SetEventMask(bundle, AM_NOTEMPTY));
    must(AM_WaitSema(bundle));
    must(AM_SetEventMask(bundle, AM_NOEVENTS));
    for (int before = handled - 1; handled != before;) {
      before = handled;
      must(AM_Poll(bundle));
    }
  }
  return NULL;
}

static void serve_in_threads(int clients) {
  pthread_t* const threads = malloc(sizeof *threads * (size_t)clients);
  eb_t* const bundles = malloc(sizeof(eb_t) * (size_t)clients);
  for (int i = 0; i < clients; ++i) {
    must(AM_AllocateBundle(AM_PAR, &bundles[i]));
    new_endpoint(bundles[i]);
  }
  for (int i = 0; i < clients; ++i)
    if (pthread_create(&threads[i], NULL, serve_one, bundles[i]) != 0) abort();
  for (int i = 0; i < clients; ++i) pthread_join(threads[i], NULL);
  free(bundles);
  free(threads);
}

static void ask(eb_t bundle, en_t server, double seconds, int bytes) {
  static char data[AM_MAX_MEDIUM];
  const ep_t endpoint = new_endpoint(bundle);
  must(AM_Map(endpoint, 0, server, AM_ALL));
  must(AM_SetEventMask(bundle, AM_NOTEMPTY));
  begin = MPI_Wtime();
  from = begin + seconds / 5;
  until = begin + seconds;
  while (MPI_Wtime() < until) {
    ++under_way;
    must(bytes > 0 ? AM_RequestI4(endpoint, 0, on_medium_request, data, bytes, 1, 2, 3, 4)
                   : AM_Request4(endpoint, 0, on_request, 1, 2, 3, 4));
  }
  while (under_way > 0) {
    must(AM_WaitSema(bundle));
    must(AM_Poll(bundle));
  }
  must(AM_Request0(endpoint, 0, on_end));
}

static void print(const int* counts, int ranks, int clients, double seconds, const char* file) {
  double sum = 0, most = 0, least = 0;
  for (int i = ranks - clients; i < ranks; ++i) {
    sum += counts[i];
    if (i == ranks - clients || counts[i] > most) most = counts[i];
    if (i == ranks - clients || counts[i] < least) least = counts[i];
  }
  const double equal = sum > 0 ? sum / clients : 1; /* where nobody is answered, all shares are 0 */
  printf("%.0f requests/s, shares %.3f to %.3f\n", sum / seconds, least / equal, most / equal);
  FILE* const out = file != NULL ? fopen(file, "w") : NULL;
  if (out == NULL) return;
  fprintf(out, "%f %f %f\n", sum / seconds, least / equal, most / equal);
  fclose(out);
}

int main(int count, char** words) {
  const double seconds = count >= 3 ? whole_number(words[2], 1) / 1000.0 : 0;
  const int bytes = count >= 4 ? number_of_bytes(words[3], 0) : 0;
  const char* how = count >= 3 ? words[1] : "";
  const int each = strcmp(how, "each") == 0, threads = strcmp(how, "threads") == 0;
  must(AM_Init());
  const int ranks = AM_Ranks(), rank = AM_Rank(), clients = ranks - 1;
  if (seconds <= 0 || bytes < 0 || bytes > AM_MAX_MEDIUM || (!each && !threads && strcmp(how, "one") != 0) ||
      clients < 1 || clients > AM_MAX_ENDPOINTS) {
    fprintf(stderr,
            "usage: am2.clients one|each|threads MILLISECONDS [BYTES [FILE]], with 2 to %d processes and "
            "up to %d bytes\n",
            AM_MAX_ENDPOINTS + 1, AM_MAX_MEDIUM);
    return 1;
  }
  eb_t bundle;
  must(AM_AllocateBundle(AM_SEQ, &bundle));
  if (rank == 0 && threads)
    serve_in_threads(clients);
  else if (rank == 0)
    serve(bundle, each ? clients : 1, clients);
  else
    ask(bundle, (en_t){0, each || threads ? rank - 1 : 0}, seconds, bytes);
  int* counts = malloc(sizeof *counts * (size_t)ranks);
  MPI_Gather(&counted, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) print(counts, ranks, clients, seconds * 4 / 5, count > 4 ? words[4] : NULL);
  free(counts);
  must(AM_Terminate());
  return 0;
}
