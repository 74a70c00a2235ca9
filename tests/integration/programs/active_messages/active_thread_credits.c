/* One thread sends requests from an endpoint, and another one handles its replies: those that the latter
 * takes give the former its credits back. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "am2.h"

enum { on_request = 1, on_reply, on_end, requests = 200 };

static volatile int replies = 0, ended = 0;
static eb_t bundle;
static ep_t endpoint;

static void request(void* token) {
  AM_Reply0(token, on_reply);
}
static void reply(void* token) {
  (void)token;
  ++replies;
}
static void end(void* token) {
  (void)token;
  ended = 1;
}

static void* send_all(void* nothing) {
  const int others = AM_Ranks() - 1;
  for (int i = 0; i < requests; ++i) AM_Request0(endpoint, 1 + i % others, on_request);
  return nothing;
}

/* Asleep until there is something, then all of it. */
static void* handle_all(void* nothing) {
  while (replies < requests) {
    AM_SetEventMask(bundle, AM_NOTEMPTY);
    AM_WaitSema(bundle);
    for (int i = 0; i < 8; ++i) AM_Poll(bundle);
  }
  return nothing;
}

int main(int count, char** arguments) {
  int level;
  en_t name;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  AM_Init();
  AM_AllocateBundle(AM_PAR, &bundle);
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
    pthread_t sender, handler;
    pthread_create(&handler, NULL, handle_all, NULL);
    pthread_create(&sender, NULL, send_all, NULL);
    pthread_join(sender, NULL);
    for (int rank = 1; rank < AM_Ranks(); ++rank) AM_Request0(endpoint, rank, on_end);
    /* The last reply may have been handled here, of which the other thread, asleep, knows nothing. */
    AM_Request0(endpoint, 0, on_end);
    pthread_join(handler, NULL);
    printf("PASS %d replies\n", replies);
  } else {
    const struct timespec time = {0, 1000000};
    while (!ended) {
      nanosleep(&time, NULL);
      AM_Poll(bundle);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  AM_Terminate();
  MPI_Finalize();
  return 0;
}
