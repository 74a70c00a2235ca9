// Threads of a rank that access windows, probe and cancel at once.
// ranks: 3
#include "several_threads.h"

static int got[most_threads][64];
static int memory[64];
static MPI_Win window;
static MPI_Win windows[most_threads];

static void make_window(void) {
  memset(memory, 0, sizeof memory);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void put_and_get(int thread) {
  for (int i = 0; i < 5; ++i) {
    const int out = 1000 * world_rank + 10 * thread + i;
    MPI_Put(&out, 1, MPI_INT, right(), 8 * thread, 1, MPI_INT, window);
    MPI_Win_flush(right(), window);
    MPI_Get(&got[thread][i], 1, MPI_INT, right(), 8 * thread, 1, MPI_INT, window);
    MPI_Win_flush(right(), window);
  }
}

CASE(threads_put_and_get_in_one_window) {
  make_window();
  MPI_Win_lock_all(0, window);
  in_threads(4, put_and_get);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 5; ++i) CHECK_INT(1000 * world_rank + 10 * thread + i, got[thread][i]);
  DIGEST(got, sizeof got);
}

static void count_up(int thread) {
  const int one = 1;
  int before = -1;
  (void)thread;
  for (int i = 0; i < 10; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
  }
}

CASE(threads_of_all_ranks_count_up_one_number) {
  make_window();
  MPI_Win_lock_all(0, window);
  in_threads(4, count_up);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) CHECK_INT(4 * 10 * world_size, memory[0]);
  MPI_Win_free(&window);
}

static void fence_own_window(int thread) {
  const int out = 10 * world_rank + thread;
  MPI_Win_fence(0, windows[thread]);
  MPI_Put(&out, 1, MPI_INT, right(), 0, 1, MPI_INT, windows[thread]);
  MPI_Win_fence(0, windows[thread]);
}

CASE(threads_fence_windows_of_their_own) {
  for (int i = 0; i < 3; ++i)
    MPI_Win_create(&got[i][0], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]);
  in_threads(3, fence_own_window);
  for (int i = 0; i < 3; ++i) {
    MPI_Win_free(&windows[i]);
    CHECK_INT(10 * left() + i, got[i][0]);
  }
}

static MPI_Comm comms[most_threads];

static void lock_exclusively(int thread) {
  for (int i = 0; i < 4; ++i) {
    int value = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[thread]);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[thread]);
    MPI_Win_flush(0, windows[thread]);
    ++value;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[thread]);
    MPI_Win_unlock(0, windows[thread]);
  }
}

CASE(threads_lock_windows_exclusively) {
  for (int i = 0; i < 3; ++i) {
    got[i][0] = 0;
    MPI_Win_create(&got[i][0], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]);
  }
  in_threads(3, lock_exclusively);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    if (world_rank == 0) CHECK_INT(4 * world_size, got[i][0]);
    MPI_Win_free(&windows[i]);
  }
}

static void make_window_each(int thread) {
  const int out = 7 * world_rank + thread;
  MPI_Win_create(&got[thread][0], sizeof(int), sizeof(int), MPI_INFO_NULL, comms[thread], &windows[thread]);
  MPI_Win_fence(0, windows[thread]);
  MPI_Put(&out, 1, MPI_INT, left(), 0, 1, MPI_INT, windows[thread]);
  MPI_Win_fence(0, windows[thread]);
  MPI_Win_free(&windows[thread]);
}

CASE(threads_make_windows) {
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  in_threads(3, make_window_each);
  for (int i = 0; i < 3; ++i) {
    CHECK_INT(7 * right() + i, got[i][0]);
    MPI_Comm_free(&comms[i]);
  }
}

/// Which thread gets which message is open, but each gets one whole.
static void matched_probe(int thread) {
  for (int i = 0; i < 5; ++i) {
    MPI_Message message;
    MPI_Status status;
    int count = 0, in[8];
    MPI_Mprobe(left(), MPI_ANY_TAG, comms[0], &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(in, count, MPI_INT, &message, &status);
    got[thread][i] = count == status.MPI_TAG && in[count - 1] == count ? in[0] : -1;
  }
}

static void send_for_probes(int thread) {
  (void)thread;
  for (int i = 0; i < 20; ++i) {
    int out[8];
    const int count = 2 + i % 7;
    out[0] = i;
    for (int k = 1; k < count; ++k) out[k] = count;
    MPI_Send(out, count, MPI_INT, right(), count, comms[0]);
  }
}

static void probe_or_send(int thread) {
  if (thread < 4)
    matched_probe(thread);
  else
    send_for_probes(thread);
}

CASE(threads_probe_for_whatever_comes) {
  int seen[20] = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  in_threads(5, probe_or_send);
  MPI_Comm_free(&comms[0]);
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 5; ++i)
      if (got[thread][i] >= 0 && got[thread][i] < 20) ++seen[got[thread][i]];
  for (int i = 0; i < 20; ++i) CHECK_INT(1, seen[i]);
}

static void probe_own_tag(int thread) {
  MPI_Status status;
  int count = 0, in[16];
  const int size = thread + 1;
  fill(in, size, thread);
  if (world_rank % 2 == 0) MPI_Send(in, size, MPI_INT, right(), 60 + thread, MPI_COMM_WORLD);
  MPI_Probe(left(), 60 + thread, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  memset(in, 0, sizeof in);
  MPI_Recv(in, count, MPI_INT, left(), 60 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (world_rank % 2 != 0) MPI_Send(in, size, MPI_INT, right(), 60 + thread, MPI_COMM_WORLD);
  got[thread][0] = count == size && first_difference(in, size, thread) == -1;
}

CASE(threads_probe_on_tags_of_their_own) {
  in_threads(4, probe_own_tag);
  for (int thread = 0; thread < 4; ++thread) CHECK_INT(1, got[thread][0]);
}

/// One thread waits in a probe while another one waits in a receive.
static void probe_beside_receive(int thread) {
  MPI_Status status;
  int in = -1;
  if (thread == 0) {
    MPI_Probe(left(), 70, MPI_COMM_WORLD, &status);
    MPI_Recv(&in, 1, MPI_INT, left(), 70, MPI_COMM_WORLD, &status);
  } else if (thread == 1) {
    MPI_Recv(&in, 1, MPI_INT, left(), 71, MPI_COMM_WORLD, &status);
    MPI_Send(&world_rank, 1, MPI_INT, right(), 70, MPI_COMM_WORLD);
  } else {
    MPI_Send(&world_rank, 1, MPI_INT, right(), 71, MPI_COMM_WORLD);
  }
  got[thread][0] = in;
}

CASE(a_probe_beside_a_receive) {
  in_threads(3, probe_beside_receive);
  CHECK_INT(left(), got[0][0]);
  CHECK_INT(left(), got[1][0]);
}

static void cancel_what_never_comes(int thread) {
  for (int i = 0; i < 4; ++i) {
    MPI_Request request;
    MPI_Status status;
    int in = -1, cancelled = 0;
    MPI_Irecv(&in, 1, MPI_INT, left(), 80 + thread, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    got[thread][i] = cancelled;
    MPI_Sendrecv(&i, 1, MPI_INT, right(), 90 + thread, &in, 1, MPI_INT, left(), 90 + thread, MPI_COMM_WORLD,
                 &status);
    got[thread][4 + i] = in;
  }
}

CASE(threads_cancel_receives) {
  in_threads(5, cancel_what_never_comes);
  for (int thread = 0; thread < 5; ++thread)
    for (int i = 0; i < 4; ++i) {
      CHECK_INT(1, got[thread][i]);
      CHECK_INT(i, got[thread][4 + i]);
    }
}

static MPI_Request to_cancel;

/// A thread cancels what another one waits for.
static void wait_or_cancel(int thread) {
  MPI_Status status;
  int cancelled = 0, in = -1;
  if (thread == 0) {
    MPI_Wait(&to_cancel, &status);
    MPI_Test_cancelled(&status, &cancelled);
    got[0][0] = cancelled;
  } else {
    MPI_Request copy = to_cancel;
    MPI_Sendrecv(&world_rank, 1, MPI_INT, right(), 95, &in, 1, MPI_INT, left(), 95, MPI_COMM_WORLD, &status);
    MPI_Cancel(&copy);
  }
}

CASE(a_thread_cancels_what_another_waits_for) {
  int in = -1;
  MPI_Irecv(&in, 1, MPI_INT, left(), 96, MPI_COMM_WORLD, &to_cancel);
  in_threads(2, wait_or_cancel);
  CHECK_INT(1, got[0][0]);
}
