/* Message permutations over Active Messages II, as in Table 1 of B. N. Chun, A. M. Mainwaring, D. E. Culler:
 * Virtual Network Transport Protocols for Myrinet, 1997. Each process sends so many requests to one other and
 * answers, with four words, what comes.
 *
 *   neighbours   both of each pair, (0, 1), (2, 3)..., send to each other
 *   bisection    the same, with those that are half of all processes apart
 *   shift        each sends to the next one
 *
 * With 16 bytes requests have four words, and one is outstanding; longer ones are medium messages, and as
 * many are outstanding as there are credits. It prints, both as means over the processes, the bandwidth of
 * what one sends (MB/s) and the time for each of its requests (us); to a file, too, if one is named. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "am2.h"
#include "examples/numbers.h"

enum { on_request = 1, on_long_request, on_reply, on_end, words_only = 16 };

static int replies = 0, ended = 0;

static void must(int result) {
  if (result == AM_OK) return;
  fprintf(stderr, "am2.exchange: a call of Active Messages failed with %d\n", result);
  exit(1);
}

static void handle_request(void* token, int a, int b, int c, int d) {
  must(AM_Reply4(token, on_reply, a, b, c, d));
}

static void handle_long_request(void* token, void* data, int bytes) {
  (void)data, (void)bytes;
  must(AM_Reply4(token, on_reply, 1, 2, 3, 4));
}

static void handle_reply(void* token, int a, int b, int c, int d) {
  (void)token, (void)a, (void)b, (void)c, (void)d;
  ++replies;
}

static void handle_end(void* token) {
  (void)token;
  ended = 1;
}

/* To whom `rank` sends; -1: there is no such pattern. */
static int partner(const char* pattern, int rank, int ranks) {
  if (strcmp(pattern, "neighbours") == 0) return rank ^ 1;
  if (strcmp(pattern, "bisection") == 0) return (rank + ranks / 2) % ranks;
  return strcmp(pattern, "shift") == 0 ? (rank + 1) % ranks : -1;
}

static void handle_next(eb_t bundle) {
  must(AM_WaitSema(bundle));
  must(AM_Poll(bundle));
}

static double exchange(eb_t bundle, ep_t endpoint, int bytes, int rounds) {
  char* const data = calloc((size_t)bytes, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    if (bytes > words_only) {
      must(AM_RequestI0(endpoint, 0, on_long_request, data, bytes));
      continue;
    }
    must(AM_Request4(endpoint, 0, on_request, 1, 2, 3, 4));
    while (replies <= i) handle_next(bundle);
  }
  while (replies < rounds) handle_next(bundle);
  const double seconds = MPI_Wtime() - begin;
  must(AM_Request0(endpoint, 0, on_end));
  while (!ended) handle_next(bundle);
  free(data);
  return seconds;
}

int main(int count, char** words) {
  const int bytes = count >= 4 ? number_of_bytes(words[2], 0) : 0,
            rounds = count >= 4 ? whole_number(words[3], 1) : 0;
  eb_t bundle;
  ep_t endpoint;
  en_t name;
  must(AM_Init());
  const int ranks = AM_Ranks(), rank = AM_Rank(), to = count >= 4 ? partner(words[1], rank, ranks) : -1;
  if (bytes < words_only || bytes > AM_MAX_MEDIUM || rounds < 1 || to < 0 || ranks % 2 != 0) {
    fprintf(stderr,
            "usage: am2.exchange neighbours|bisection|shift BYTES ROUNDS [FILE], with an even number of "
            "processes and %d to %d bytes\n",
            words_only, AM_MAX_MEDIUM);
    return 1;
  }
  must(AM_AllocateBundle(AM_SEQ, &bundle));
  must(AM_AllocateEndpoint(bundle, &endpoint, &name));
  must(AM_SetTag(endpoint, AM_ALL));
  must(AM_SetEventMask(bundle, AM_NOTEMPTY));
  must(AM_SetHandler(endpoint, on_request, (am_handler_fn)handle_request));
  must(AM_SetHandler(endpoint, on_long_request, (am_handler_fn)handle_long_request));
  must(AM_SetHandler(endpoint, on_reply, (am_handler_fn)handle_reply));
  must(AM_SetHandler(endpoint, on_end, (am_handler_fn)handle_end));
  must(AM_Name(to, &name));
  must(AM_Map(endpoint, 0, name, AM_ALL));
  const double seconds = exchange(bundle, endpoint, bytes, rounds);
  const double mine[] = {bytes * (double)rounds / seconds / 1e6, seconds / rounds * 1e6};
  double sums[2];
  MPI_Reduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%.3f MB/s, %.3f us\n", sums[0] / ranks, sums[1] / ranks);
    FILE* const out = count > 4 ? fopen(words[4], "w") : NULL;
    if (out != NULL) {
      fprintf(out, "%f %f\n", sums[0] / ranks, sums[1] / ranks);
      fclose(out);
    }
  }
  must(AM_Terminate());
  return 0;
}
