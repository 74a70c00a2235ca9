// Threads of a rank in point-to-point calls at once, under MPI_THREAD_MULTIPLE.
// ranks: 3
#include "several_threads.h"

CASE(multiple_is_granted) {
  int level = -1;
  MPI_Query_thread(&level);
  CHECK_INT(MPI_THREAD_MULTIPLE, provided_level);
  CHECK_INT(MPI_THREAD_MULTIPLE, level);
}

static int got[most_threads][64];

static void exchange_on_tag(int thread) {
  for (int i = 0; i < 20; ++i) {
    const int out = 1000 * thread + 100 * world_rank + i;
    MPI_Sendrecv(&out, 1, MPI_INT, right(), thread, &got[thread][i], 1, MPI_INT, left(), thread,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

CASE(threads_exchange_on_tags_of_their_own) {
  in_threads(4, exchange_on_tag);
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 20; ++i) CHECK_INT(1000 * thread + 100 * left() + i, got[thread][i]);
  DIGEST(got, sizeof got);
}

/// Each thread waits for what another thread of another rank sends only when it has heard from a third.
static void pass_round(int thread) {
  enum { threads = 3 };
  const int begins = world_rank == 0 && thread == 0;
  int token = 0;
  for (int round = 0; round < 5; ++round) {
    if (begins) {
      token += 1;
      MPI_Send(&token, 1, MPI_INT, right(), 10 + thread, MPI_COMM_WORLD);
    }
    MPI_Recv(&token, 1, MPI_INT, left(),
             world_rank == 0 ? 10 + (thread + threads - 1) % threads : 10 + thread, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (!begins) {
      token += 1;
      MPI_Send(&token, 1, MPI_INT, right(), 10 + thread, MPI_COMM_WORLD);
    }
  }
  got[thread][0] = token;
}

CASE(token_through_all_threads_of_all_ranks) {
  in_threads(3, pass_round);
  if (world_rank == 0) CHECK_INT(5 * 3 * world_size, got[0][0]);
  DIGEST(&got[0][0], sizeof(int));
}

static void send_what_main_awaits(int thread) {
  const int out = 70 + world_rank;
  (void)thread;
  MPI_Ssend(&out, 1, MPI_INT, right(), 3, MPI_COMM_WORLD);
}

CASE(main_receives_what_another_ranks_thread_sends) {
  pthread_t thread;
  struct started started = {0, send_what_main_awaits, 0};
  int in = -1;
  pthread_create(&thread, NULL, start_body, &started);
  MPI_Recv(&in, 1, MPI_INT, left(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_join(thread, NULL);
  CHECK_INT(70 + left(), in);
}

static void talk_to_oneself(int thread) {
  for (int i = 0; i < 10; ++i) {
    int value = i;
    if (thread % 2 == 0) {
      MPI_Ssend(&value, 1, MPI_INT, world_rank, 20 + thread, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, world_rank, 21 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      got[thread][i] = value;
    } else {
      MPI_Recv(&value, 1, MPI_INT, world_rank, 19 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      value = 10 * value + thread;
      MPI_Ssend(&value, 1, MPI_INT, world_rank, 20 + thread, MPI_COMM_WORLD);
    }
  }
}

CASE(threads_of_a_rank_talk_to_each_other) {
  in_threads(4, talk_to_oneself);
  for (int i = 0; i < 10; ++i) {
    CHECK_INT(10 * i + 1, got[0][i]);
    CHECK_INT(10 * i + 3, got[2][i]);
  }
}

enum { large = 200000 };
static int out_large[4][large], in_large[4][large];

static void exchange_large(int thread) {
  MPI_Request requests[2];
  fill(out_large[thread], large, 10 * world_rank + thread);
  MPI_Irecv(in_large[thread], large, MPI_INT, left(), 30 + thread, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out_large[thread], large, MPI_INT, right(), 30 + thread, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

CASE(threads_exchange_messages_by_rendezvous) {
  in_threads(4, exchange_large);
  for (int thread = 0; thread < 4; ++thread)
    CHECK_INT(-1, first_difference(in_large[thread], large, 10 * left() + thread));
}

static void wait_for_any(int thread) {
  MPI_Request requests[4];
  int values[4], sum = 0;
  for (int i = 0; i < 4; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, left(), 100 * thread + i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 3; i >= 0; --i) {
    const int out = (i + 1) * (thread + 1);
    MPI_Send(&out, 1, MPI_INT, right(), 100 * thread + i, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 4; ++i) {
    int index = -1;
    MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    sum += values[index];
  }
  got[thread][0] = sum;
}

CASE(threads_wait_for_any_of_their_requests) {
  in_threads(6, wait_for_any);
  for (int thread = 0; thread < 6; ++thread) CHECK_INT(10 * (thread + 1), got[thread][0]);
}

static void wait_for_some(int thread) {
  MPI_Request requests[6];
  int values[6], done = 0, sum = 0;
  for (int i = 0; i < 6; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, left(), 40 + 10 * thread + i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 6; ++i) MPI_Send(&i, 1, MPI_INT, right(), 40 + 10 * thread + i, MPI_COMM_WORLD);
  while (done < 6) {
    int count = 0, indices[6];
    MPI_Waitsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) sum += values[indices[i]];
    done += count;
  }
  got[thread][0] = sum;
}

CASE(threads_wait_for_some_of_their_requests) {
  in_threads(3, wait_for_some);
  for (int thread = 0; thread < 3; ++thread) CHECK_INT(15, got[thread][0]);
}

static void test_until_done(int thread) {
  int in = -1, flag = 0;
  const int out = 5 * world_rank + thread;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, left(), 50 + thread, MPI_COMM_WORLD, &request);
  MPI_Send(&out, 1, MPI_INT, right(), 50 + thread, MPI_COMM_WORLD);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  got[thread][0] = in;
}

CASE(threads_test_at_once) {
  in_threads(3, test_until_done);
  for (int thread = 0; thread < 3; ++thread) CHECK_INT(5 * left() + thread, got[thread][0]);
}

/// One thread tests while the other one waits.
static void test_or_wait(int thread) {
  int in = -1, flag = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, left(), 60 + thread, MPI_COMM_WORLD, &request);
  MPI_Send(&world_rank, 1, MPI_INT, right(), 60 + thread, MPI_COMM_WORLD);
  if (thread == 0)
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  else
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  got[thread][0] = in;
}

CASE(one_thread_tests_while_another_waits) {
  in_threads(2, test_or_wait);
  CHECK_INT(left(), got[0][0]);
  CHECK_INT(left(), got[1][0]);
}

static MPI_Request handed_over;
static int handed_value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static int is_there;

/// One thread starts a receive, the other one completes it; they meet outside of MPI.
static void start_or_complete(int thread) {
  if (thread == 0) {
    MPI_Irecv(&handed_value, 1, MPI_INT, left(), 5, MPI_COMM_WORLD, &handed_over);
    pthread_mutex_lock(&lock);
    is_there = 1;
    pthread_cond_signal(&there);
    pthread_mutex_unlock(&lock);
    MPI_Send(&world_rank, 1, MPI_INT, right(), 5, MPI_COMM_WORLD);
  } else {
    pthread_mutex_lock(&lock);
    while (!is_there) pthread_cond_wait(&there, &lock);
    pthread_mutex_unlock(&lock);
    MPI_Wait(&handed_over, MPI_STATUS_IGNORE);
  }
}

CASE(another_thread_completes_a_request) {
  is_there = 0;
  in_threads(2, start_or_complete);
  CHECK_INT(left(), handed_value);
}

static pthread_barrier_t all_here;

/// Threads meet at a barrier of their own between messages, as OpenMP's do.
static void message_and_barrier(int thread) {
  for (int i = 0; i < 8; ++i) {
    if (thread == i % 4)
      MPI_Sendrecv(&i, 1, MPI_INT, right(), 7, &got[thread][i], 1, MPI_INT, left(), 7, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    pthread_barrier_wait(&all_here);
  }
}

CASE(threads_meet_outside_of_mpi) {
  pthread_barrier_init(&all_here, NULL, 4);
  in_threads(4, message_and_barrier);
  pthread_barrier_destroy(&all_here);
  for (int i = 0; i < 8; ++i) CHECK_INT(i, got[i % 4][i]);
}

static volatile int flag_of_threads;

/// A thread of rank 0 spins on a variable that another one sets when it has received.
static void spin_or_receive(int thread) {
  if (thread == 0) {
    MPI_Recv(&got[0][0], 1, MPI_INT, left(), 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __atomic_store_n(&flag_of_threads, 1, __ATOMIC_SEQ_CST);
  } else {
    MPI_Send(&world_rank, 1, MPI_INT, right(), 8, MPI_COMM_WORLD);
    while (world_rank == 0 && !__atomic_load_n(&flag_of_threads, __ATOMIC_SEQ_CST)) {
    }
    MPI_Sendrecv(&world_rank, 1, MPI_INT, right(), 9, &got[1][0], 1, MPI_INT, left(), 9, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

CASE(a_thread_spins_until_another_has_received) {
  flag_of_threads = 0;
  in_threads(2, spin_or_receive);
  CHECK_INT(left(), got[0][0]);
  CHECK_INT(left(), got[1][0]);
}

static void persistent_ring(int thread) {
  MPI_Request requests[2];
  int in = -1, out = 0, sum = 0;
  MPI_Recv_init(&in, 1, MPI_INT, left(), 80 + thread, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, right(), 80 + thread, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 5; ++i) {
    out = i + thread;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += in;
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  got[thread][0] = sum;
}

CASE(threads_restart_persistent_requests) {
  in_threads(4, persistent_ring);
  for (int thread = 0; thread < 4; ++thread) CHECK_INT(10 + 5 * thread, got[thread][0]);
}

/// Every thread asks and answers on any source, each under its own tag.
static void serve_all(int thread) {
  int sum = 0;
  for (int peer = 0; peer < world_size; ++peer) {
    const int out = peer + 10 * thread;
    if (peer != world_rank) MPI_Send(&out, 1, MPI_INT, peer, 90 + thread, MPI_COMM_WORLD);
  }
  for (int i = 1; i < world_size; ++i) {
    int in = -1;
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 90 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += in;
  }
  got[thread][0] = sum;
}

CASE(threads_receive_from_any_source) {
  in_threads(8, serve_all);
  for (int thread = 0; thread < 8; ++thread)
    CHECK_INT((world_size - 1) * (world_rank + 10 * thread), got[thread][0]);
}

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  MPI_Status_set_elements(status, MPI_INT, 1);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int nothing(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}
static int not_cancelled(void* extra, int complete) {
  (void)extra;
  (void)complete;
  return MPI_SUCCESS;
}

static MPI_Request generalised;

/// One thread waits for what another one completes after it has heard from a neighbour.
static void wait_or_complete(int thread) {
  int in = -1;
  if (thread == 0) {
    MPI_Wait(&generalised, MPI_STATUS_IGNORE);
    got[0][0] = 1;
  } else {
    MPI_Sendrecv(&world_rank, 1, MPI_INT, right(), 6, &in, 1, MPI_INT, left(), 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    got[1][0] = in;
    MPI_Grequest_complete(generalised);
  }
}

CASE(a_thread_completes_a_generalised_request) {
  memset(got, 0, sizeof got);
  MPI_Grequest_start(query, nothing, not_cancelled, NULL, &generalised);
  in_threads(2, wait_or_complete);
  CHECK_INT(1, got[0][0]);
  CHECK_INT(left(), got[1][0]);
}
