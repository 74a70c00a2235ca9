// What statuses say: sources, tags and counts, in any datatype; and requests of MPICH's own among ours.
#include <string.h>

#include "check.h"

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = 123;
  return MPI_SUCCESS;
}
static int release(void* state) {
  return state == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static int cancel(void* state, int complete) {
  return state == NULL || complete ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  double out[3] = {1, 2, 3}, in[8];
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(out, 3, MPI_DOUBLE, right, 17, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  int doubles = -1, bytes = -1, cancelled = -1;
  MPI_Get_count(&status, MPI_DOUBLE, &doubles);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 17, "from %d, tag %d", status.MPI_SOURCE,
        status.MPI_TAG);
  CHECK(doubles == 3 && bytes == 24 && cancelled == 0, "%d doubles, %d bytes, %d", doubles, bytes, cancelled);
  MPI_Wait(&request, &status);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && bytes == 0,
        "the empty status");

  MPI_Request mixed[3];
  MPI_Status statuses[3];
  MPI_Irecv(in, 8, MPI_DOUBLE, left, 18, MPI_COMM_WORLD, &mixed[0]);
  MPI_Grequest_start(query, release, cancel, NULL, &mixed[1]);
  MPI_Isend(out, 2, MPI_DOUBLE, right, 18, MPI_COMM_WORLD, &mixed[2]);
  MPI_Grequest_complete(mixed[1]);
  MPI_Waitall(3, mixed, statuses);
  int count = -1;
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
  CHECK(count == 2, "%d doubles", count);
  CHECK(statuses[1].MPI_TAG == 123, "a generalised request's tag is %d", statuses[1].MPI_TAG);

  MPI_Irecv(in, 8, MPI_DOUBLE, left, 19, MPI_COMM_WORLD, &mixed[0]);
  MPI_Grequest_start(query, release, cancel, NULL, &mixed[1]);
  MPI_Send(out, 1, MPI_DOUBLE, right, 19, MPI_COMM_WORLD);
  int index = -1;
  MPI_Waitany(2, mixed, &index, &status);
  CHECK(index == 0 && status.MPI_TAG == 19, "index %d", index);
  MPI_Grequest_complete(mixed[1]);
  MPI_Waitany(2, mixed, &index, &status);
  CHECK(index == 1 && status.MPI_TAG == 123, "index %d", index);
  return verdict("statuses");
}
