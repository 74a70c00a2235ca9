// Sends that are cancelled: of the last rank none is received, of the others the second of each pair. MPICH
// over UCX does not come back from waiting for such a synchronous send; MPI 4.0, section 3.8.4 says it must.
#include <stdlib.h>

#include "check.h"

enum { kinds = 3 };

static MPI_Request start(int kind, char* buffer, int bytes, int to, int tag) {
  MPI_Request request;
  if (kind == 0) MPI_Isend(buffer, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
  if (kind == 1) MPI_Issend(buffer, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
  if (kind == 2) {
    MPI_Send_init(buffer, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
  }
  return request;
}

static int cancelled(int kind, MPI_Request* request) {
  int flag = -1;
  MPI_Status status;
  MPI_Cancel(request);
  MPI_Wait(request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(kind == 2 || *request == MPI_REQUEST_NULL, "a cancelled send's request is null");
  if (kind == 2) MPI_Request_free(request);
  return flag;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int sizes[] = {0, 8, 1000, 3000, 1 << 20}, right = (rank + 1) % ranks,
            left = (rank + ranks - 1) % ranks;
  char* out = calloc(1 << 20, 1);
  char* in = malloc(1 << 20);
  for (int i = 0; i < 5; ++i)
    for (int kind = 0; kind < kinds; ++kind) {
      const int tag = 10 * i + kind;
      MPI_Request wanted = start(kind, out, sizes[i], right, tag),
                  unwanted = start(kind, out, sizes[i], right, 100 + tag);
      const int ended = cancelled(kind, &unwanted);
      CHECK(ended == 1 || (kind != 1 && sizes[i] < 1 << 20), "%d bytes, kind %d: not cancelled", sizes[i],
            kind);
      MPI_Status status;
      MPI_Recv(in, 1 << 20, MPI_CHAR, left, tag, MPI_COMM_WORLD, &status);
      int count;
      MPI_Get_count(&status, MPI_CHAR, &count);
      CHECK(count == sizes[i], "%d bytes came", count);
      if (!ended) MPI_Send(out, 0, MPI_CHAR, right, 200 + tag, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      int more, is_there;
      MPI_Iprobe(left, 200 + tag, MPI_COMM_WORLD, &more, &status);
      MPI_Iprobe(left, 100 + tag, MPI_COMM_WORLD, &is_there, &status);
      CHECK(more == is_there, "%d bytes, kind %d: a message that was taken back is there", sizes[i], kind);
      if (more) {
        MPI_Recv(in, 0, MPI_CHAR, left, 200 + tag, MPI_COMM_WORLD, &status);
        MPI_Recv(in, 1 << 20, MPI_CHAR, left, 100 + tag, MPI_COMM_WORLD, &status);
      }
      CHECK(!cancelled(kind, &wanted), "what was received has been cancelled");
      MPI_Barrier(MPI_COMM_WORLD);
    }
  free(out);
  free(in);
  return verdict("cancelled_sends");
}
