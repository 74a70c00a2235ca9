// ranks: 3
// varies: two_threads_take_turns: the system decides which thread gets the lock, and so how often one
// probes.
// MPI_THREAD_SERIALIZED: a worker thread and the main thread call MPI in turns, under a lock.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

static int provided_level;
#define CONFORMANCE_INIT(argc, argv) MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided_level)
#include "conformance.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int right(void) {
  return (world_rank + 1) % world_size;
}
static int left(void) {
  return (world_rank + world_size - 1) % world_size;
}

static void* in_a_thread(void* (*body)(void*), void* argument) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, body, argument);
  pthread_join(thread, &result);
  return result;
}

CASE(serialized_is_granted) {
  int level = -1, main_thread = 0;
  MPI_Query_thread(&level);
  CHECK(provided_level >= MPI_THREAD_SERIALIZED);
  CHECK_INT(provided_level, level);
  MPI_Is_thread_main(&main_thread);
  CHECK_INT(1, main_thread);
}

static void* exchange(void* argument) {
  int* got = argument;
  int main_thread = 1;
  MPI_Sendrecv(&world_rank, 1, MPI_INT, right(), 0, got, 1, MPI_INT, left(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Is_thread_main(&main_thread);
  got[1] = main_thread;
  return NULL;
}

CASE(worker_exchanges_while_main_waits) {
  int got[2] = {-1, -1};
  in_a_thread(exchange, got);
  CHECK_INT(left(), got[0]);
  CHECK_INT(0, got[1]);
}

static void* reduce(void* argument) {
  MPI_Allreduce(MPI_IN_PLACE, argument, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return NULL;
}

CASE(worker_calls_a_collective) {
  int sum = world_rank;
  in_a_thread(reduce, &sum);
  CHECK_INT(3, sum);
}

struct posted {
  MPI_Request request;
  int value;
};

static void* post_receive(void* argument) {
  struct posted* posted = argument;
  MPI_Irecv(&posted->value, 1, MPI_INT, left(), 4, MPI_COMM_WORLD, &posted->request);
  return NULL;
}

CASE(main_completes_what_the_worker_posted) {
  struct posted posted = {MPI_REQUEST_NULL, -1};
  in_a_thread(post_receive, &posted);
  MPI_Send(&world_rank, 1, MPI_INT, right(), 4, MPI_COMM_WORLD);
  CHECK_OK(MPI_Wait(&posted.request, MPI_STATUS_IGNORE));
  CHECK_INT(left(), posted.value);
}

enum { turns = 30 };

/// Sends under the lock what the main thread receives, also under the lock: neither waits while it holds it.
static void* send_in_turns(void* argument) {
  (void)argument;
  for (int i = 0; i < turns; ++i) {
    const int out = 1000 * world_rank + i;
    pthread_mutex_lock(&one_at_a_time);
    MPI_Send(&out, 1, MPI_INT, right(), 6, MPI_COMM_WORLD);
    pthread_mutex_unlock(&one_at_a_time);
  }
  return NULL;
}

CASE(two_threads_take_turns) {
  pthread_t thread;
  pthread_create(&thread, NULL, send_in_turns, NULL);
  for (int i = 0; i < turns;) {
    int ready = 0, got = -1;
    pthread_mutex_lock(&one_at_a_time);
    MPI_Iprobe(left(), 6, MPI_COMM_WORLD, &ready, MPI_STATUS_IGNORE);
    if (ready) MPI_Recv(&got, 1, MPI_INT, left(), 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&one_at_a_time);
    if (!ready) continue;
    CHECK_INT(1000 * left() + i, got);
    ++i;
  }
  pthread_join(thread, NULL);
}
