// polling_threads HOW THREADS COUNT BYTES: each thread of rank 0 sends COUNT messages with a tag of its own, and the thread of
// rank 1 with that tag receives them, once it has found each
//   i by MPI_Iprobe again and again   p by MPI_Probe   m by MPI_Improbe again and again   t by MPI_Irecv and MPI_Test
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

static int rank, count, bytes;
static char how;

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
    default:
      MPI_Irecv(data, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
      while (!there) MPI_Test(&request, &there, &status);
      return;
  }
  MPI_Recv(data, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status);
}

static void* run(void* argument) {
  const int tag = *(const int*)argument;
  unsigned char* data = calloc(1, bytes);
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
  enum { most = 16 };
  pthread_t threads[most];
  int level, tags[most];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE && argc == 5, "level %d, %d arguments", level, argc);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  how = argv[1][0];
  count = atoi(argv[3]);
  bytes = atoi(argv[4]);
  const int several = atoi(argv[2]) < most ? atoi(argv[2]) : most;
  for (int i = 0; i < several; ++i) {
    tags[i] = i;
    pthread_create(&threads[i], NULL, run, &tags[i]);
  }
  for (int i = 0; i < several; ++i) pthread_join(threads[i], NULL);
  return verdict("polling_threads");
}
