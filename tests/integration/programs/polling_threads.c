// polling_threads HOW THREADS COUNT BYTES: each thread of rank 0 sends COUNT messages with a tag of its own, and the thread of
// rank 1 with that tag receives them, once it has found each
//   i by MPI_Iprobe again and again   p by MPI_Probe   m by MPI_Improbe again and again   t by MPI_Irecv and MPI_Test
//   r at once, by MPI_Recv            M by MPI_Mprobe                   x by MPI_Probe or MPI_Mprobe, in turn
//   o each thread of both ranks instead has a window, puts COUNT times and flushes each
//   a of two threads of both ranks one instead puts to both windows, COUNT times, and tests for both puts, while the other
//     one flushes the first window
//   c each thread of both ranks waits COUNT times for an MPI_Ibarrier of its own, and exchanges a message
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

enum { most = 16 };
static int rank, count, bytes;
static char how;
static MPI_Win windows[most];
static MPI_Comm communicators[most];
static unsigned char* memory[most];
static pthread_barrier_t pairs[most];

static void receive(unsigned char* data, int tag) {
  int there = 0, size = 0;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  switch (how) {
    case 'i':
      while (!there) MPI_Iprobe(0, tag, MPI_COMM_WORLD, &there, &status);
      MPI_Get_count(&status, MPI_BYTE, &size);
      CHECK(size == bytes, "a message of %d bytes is there", size);
      break;
    case 'p':
      MPI_Probe(0, tag, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &size);
      CHECK(size == bytes && status.MPI_TAG == tag, "a message of %d bytes with tag %d is there", size,
            status.MPI_TAG);
      break;
    case 'm':
      while (!there) MPI_Improbe(0, tag, MPI_COMM_WORLD, &there, &message, &status);
      MPI_Mrecv(data, bytes, MPI_BYTE, &message, &status);
      return;
    case 'x':
      if (tag % 2 == 0) {
        MPI_Probe(0, tag, MPI_COMM_WORLD, &status);
        break;
      }
      /* fall through */
    case 'M':
      MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, &status);
      MPI_Get_count(&status, MPI_BYTE, &size);
      CHECK(size == bytes && status.MPI_TAG == tag, "a message of %d bytes with tag %d is taken", size,
            status.MPI_TAG);
      MPI_Mrecv(data, bytes, MPI_BYTE, &message, &status);
      return;
    case 't':
      MPI_Irecv(data, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
      while (!there) MPI_Test(&request, &there, &status);
      return;
    default:
      break;
  }
  MPI_Recv(data, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status);
}

static void put(const unsigned char* data, MPI_Win window) {
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < count; ++i) {
    MPI_Put(data, bytes, MPI_BYTE, 1 - rank, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(1 - rank, window);
  }
  MPI_Win_unlock_all(window);
}

// The first put, of a byte, is over long before the second one, and the flush with it.
static void put_in_a_pair(int tag) {
  const int first = tag - tag % 2;
  unsigned char mark = (unsigned char)(16 * first + 1), *data = calloc(1, bytes);
  data[bytes - 1] = (unsigned char)(16 * (first + 1) + 1);
  for (int i = 0; i < 2 && tag == first; ++i) MPI_Win_lock_all(0, windows[first + i]);
  for (int i = 0; i < count; ++i) {
    MPI_Request puts[2];
    if (tag == first) {
      MPI_Rput(&mark, 1, MPI_BYTE, 1 - rank, bytes - 1, 1, MPI_BYTE, windows[first], &puts[0]);
      MPI_Rput(data, bytes, MPI_BYTE, 1 - rank, 0, bytes, MPI_BYTE, windows[first + 1], &puts[1]);
    }
    pthread_barrier_wait(&pairs[first]);
    int there = 0;
    if (tag != first) MPI_Win_flush(1 - rank, windows[first]);
    while (tag == first && !there) MPI_Testall(2, puts, &there, MPI_STATUSES_IGNORE);
    pthread_barrier_wait(&pairs[first]);
  }
  for (int i = 0; i < 2 && tag == first; ++i) MPI_Win_unlock_all(windows[first + i]);
  free(data);
}

static void meet(const unsigned char* data, int tag) {
  unsigned char* come = calloc(1, bytes);
  for (int i = 0; i < count; ++i) {
    MPI_Request barrier;
    MPI_Ibarrier(communicators[tag], &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, bytes, MPI_BYTE, 1 - rank, tag, come, bytes, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(come[bytes - 1] == 16 * tag + 1, "%d has come", come[bytes - 1]);
  }
  free(come);
}

static void* run(void* argument) {
  const int tag = *(const int*)argument;
  if (how == 'a') {
    put_in_a_pair(tag);
    return NULL;
  }
  unsigned char* data = calloc(1, bytes);
  if (how == 'o' || how == 'c') {
    data[bytes - 1] = (unsigned char)(16 * tag + 1);
    if (how == 'o')
      put(data, windows[tag]);
    else
      meet(data, tag);
    free(data);
    return NULL;
  }
  for (int i = 0; i < count; ++i) {
    const unsigned char mark = (unsigned char)(16 * tag + i);
    if (rank == 0) {
      data[0] = data[bytes - 1] = mark;
      MPI_Send(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    } else {
      receive(data, tag);
      CHECK(data[0] == mark && data[bytes - 1] == mark, "%d and %d came instead of %d", data[0], data[bytes - 1],
            mark);
    }
  }
  free(data);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[most];
  int level, tags[most];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE && argc == 5, "level %d, %d arguments", level, argc);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  how = argv[1][0];
  count = atoi(argv[3]);
  bytes = atoi(argv[4]);
  const int several = atoi(argv[2]) < most ? atoi(argv[2]) : most;
  const int puts = how == 'o' || how == 'a';
  CHECK(how != 'a' || several % 2 == 0, "%d threads are no pairs", several);
  for (int i = 0; puts && i < several; ++i) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i], &windows[i]);
    pthread_barrier_init(&pairs[i], NULL, 2);
  }
  for (int i = 0; how == 'c' && i < several; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &communicators[i]);
  for (int i = 0; i < several; ++i) {
    tags[i] = i;
    pthread_create(&threads[i], NULL, run, &tags[i]);
  }
  for (int i = 0; i < several; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; how == 'c' && i < several; ++i) MPI_Comm_free(&communicators[i]);
  if (puts) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; puts && i < several; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, windows[i]);
    CHECK(memory[i][bytes - 1] == 16 * i + 1, "%d was put", memory[i][bytes - 1]);
    MPI_Win_unlock(rank, windows[i]);
    MPI_Win_free(&windows[i]);
  }
  return verdict("polling_threads");
}
