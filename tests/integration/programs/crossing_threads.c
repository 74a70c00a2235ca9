// crossing_threads KINDS: two ranks with two threads each. For every letter of KINDS, thread A of each rank begins something at
// once that ends only when thread B of the other rank takes part, and thread B does so a millisecond later. A rank
// whose thread A held up thread B would never go on.
//   S MPI_Send, Y MPI_Ssend, I MPI_Isend and MPI_Wait, W MPI_Isend and MPI_Waitall, X MPI_Sendrecv   (rendezvous)
//   R MPI_Reduce, i MPI_Ireduce and MPI_Wait, G MPI_Gather, V MPI_Scatter                           (A is a leaf; V: the root)
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { bytes = 200000, numbers = bytes / sizeof(int) };
static const double later = 1e-3, enough = 1e-2;

static MPI_Comm of_rank[2];  // on it, thread A of that rank meets thread B of the other one
static int rank, simulated;
static char kind;
static double begun;

struct Buffers {
  int out[numbers], in[2 * numbers];
};

static int is_kind(const char* kinds) {
  return strchr(kinds, kind) != NULL;
}

/// What both do in a collective that thread B of the other rank is the root of (V: thread A).
static void meet(struct Buffers* data, int root, MPI_Comm comm) {
  MPI_Request request;
  switch (kind) {
    case 'R':
      MPI_Reduce(data->out, data->in, numbers, MPI_INT, MPI_SUM, root, comm);
      break;
    case 'i':
      MPI_Ireduce(data->out, data->in, numbers, MPI_INT, MPI_SUM, root, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 'G':
      MPI_Gather(data->out, numbers, MPI_INT, data->in, numbers, MPI_INT, root, comm);
      break;
    default:
      MPI_Scatter(data->in, numbers, MPI_INT, data->out, numbers, MPI_INT, root, comm);
  }
}

static void begin(struct Buffers* data) {
  MPI_Comm comm = of_rank[rank];
  MPI_Request request;
  switch (kind) {
    case 'S':
      MPI_Send(data->out, numbers, MPI_INT, 1 - rank, 1, comm);
      break;
    case 'Y':
      MPI_Ssend(data->out, numbers, MPI_INT, 1 - rank, 1, comm);
      break;
    case 'X':
      MPI_Sendrecv(data->out, numbers, MPI_INT, 1 - rank, 1, data->in, 1, MPI_INT, 1 - rank, 2, comm,
                   MPI_STATUS_IGNORE);
      break;
    case 'I':
      MPI_Isend(data->out, numbers, MPI_INT, 1 - rank, 1, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 'W':
      MPI_Isend(data->out, numbers, MPI_INT, 1 - rank, 1, comm, &request);
      MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
      break;
    default:
      meet(data, kind == 'V' ? rank : 1 - rank, comm);
  }
}

static void take_part(struct Buffers* data) {
  MPI_Comm comm = of_rank[1 - rank];
  if (is_kind("SYIWX")) {
    MPI_Recv(data->in, numbers, MPI_INT, 1 - rank, 1, comm, MPI_STATUS_IGNORE);
    if (kind == 'X') MPI_Send(data->out, 1, MPI_INT, 1 - rank, 2, comm);
  } else {
    meet(data, kind == 'V' ? 1 - rank : rank, comm);
  }
}

static void check_data(const struct Buffers* data) {
  const int mine = rank + 1, others = 2 - rank, last = numbers - 1;
  if (is_kind("SYIWX"))
    CHECK(data->in[0] == others && data->in[last] == others, "%c: %d and %d came", kind, data->in[0], data->in[last]);
  else if (is_kind("Ri"))
    CHECK(data->in[0] == 3 && data->in[last] == 3, "%c: %d and %d came", kind, data->in[0], data->in[last]);
  else if (kind == 'G')
    CHECK(data->in[rank * numbers] == mine && data->in[(1 - rank) * numbers + last] == others, "%c: %d and %d came",
          kind, data->in[rank * numbers], data->in[(1 - rank) * numbers + last]);
  else
    CHECK(data->out[0] == others && data->out[last] == others, "%c: %d and %d came", kind, data->out[0],
          data->out[last]);
}

static struct Buffers* new_buffers(void) {
  struct Buffers* data = malloc(sizeof *data);
  for (int i = 0; i < numbers; ++i) data->out[i] = data->in[i] = data->in[numbers + i] = rank + 1;
  return data;
}

static void* thread_a(void* unused) {
  struct Buffers* data = new_buffers();
  begin(data);
  const double took = MPI_Wtime() - begun;
  if (simulated)
    CHECK(took > later && took < enough, "%c: thread A took %.6f s, from %.6f s to %.6f s were right", kind, took,
          later, enough);
  free(data);
  return unused;
}

static void* thread_b(void* unused) {
  struct Buffers* data = new_buffers();
  usleep(1000000 * later);
  take_part(data);
  check_data(data);
  free(data);
  return unused;
}

int main(int argc, char** argv) {
  int level;
  const char* kinds = argc > 1 ? argv[1] : "SYIWXRiGV";
  simulated = argc > 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE, "level %d", level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &of_rank[i]);
  for (const char* next = kinds; *next != 0; ++next) {
    pthread_t a, b;
    kind = *next;
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    pthread_create(&a, NULL, thread_a, NULL);
    pthread_create(&b, NULL, thread_b, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
  }
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&of_rank[i]);
  return verdict("crossing_threads");
}
