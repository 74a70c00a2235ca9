/* An endpoint of Active Messages II has four requests without a reply, whoever gets them: the fifth, to a third
 * process, returns when one of the others has answered. */
#include <stdio.h>
#include <time.h>

#include "am2.h"
#include "check.h"

enum { on_request = 1, on_reply, on_end };

static int replies = 0, ended = 0;

static void request(void* token) {
  CHECK(AM_Reply0(token, on_reply) == AM_OK, "%s", "there is no reply");
}
static void reply(void* token) {
  (void)token;
  ++replies;
}
static void end(void* token) {
  (void)token;
  ended = 1;
}

int main(int count, char** arguments) {
  const double pause = 0.05;
  const int simulated = count > 1; /* else a busy machine may keep it from sending in time */
  eb_t bundle;
  ep_t endpoint;
  en_t name;
  MPI_Init(&count, &arguments);
  AM_Init();
  AM_AllocateBundle(AM_SEQ, &bundle);
  AM_AllocateEndpoint(bundle, &endpoint, &name);
  AM_SetTag(endpoint, AM_ALL);
  AM_SetHandler(endpoint, on_request, (am_handler_fn)request);
  AM_SetHandler(endpoint, on_reply, (am_handler_fn)reply);
  AM_SetHandler(endpoint, on_end, (am_handler_fn)end);
  for (int rank = 0; rank < AM_Ranks(); ++rank) {
    AM_Name(rank, &name);
    AM_Map(endpoint, rank, name, AM_ALL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (AM_Rank() == 0) {
    const int others = AM_Ranks() - 1;
    int within = 0; /* requests that are gone before anybody answers */
    const double begin = MPI_Wtime();
    for (int i = 0; i < 12; ++i) {
      CHECK(AM_Request0(endpoint, 1 + i % others, on_request) == AM_OK, "%s", "there is no request");
      within += MPI_Wtime() - begin < pause / 2;
    }
    while (replies < 12) AM_Poll(bundle);
    if (simulated) CHECK(within == AM_CREDITS, "%d requests were outstanding", within);
    for (int rank = 1; rank <= others; ++rank) AM_Request0(endpoint, rank, on_end);
  } else {
    const struct timespec time = {0, (long)(1e9 * pause)};
    nanosleep(&time, NULL);
    while (!ended) AM_Poll(bundle);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int result = failures;
  AM_Terminate();
  printf("%s active credits\n", result == 0 ? "PASS" : "FAIL");
  MPI_Finalize();
  return result;
}
