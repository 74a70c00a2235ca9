// Every way to start and complete a message.
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { count = 1000 };
static int rank, ranks, left, right;

static void fill(int* data, int seed) {
  for (int i = 0; i < count; ++i) data[i] = seed * 100000 + i;
}

static void expect(const int* data, int seed, const char* what) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += data[i] != seed * 100000 + i;
  CHECK(wrong == 0, "%s: %d wrong", what, wrong);
}

static void waitall(void) {
  int out[4][count], in[4][count];
  MPI_Request requests[9];
  MPI_Status statuses[9];
  for (int i = 0; i < 4; ++i) MPI_Irecv(in[i], count, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 4; ++i) fill(out[i], rank * 10 + i);
  MPI_Isend(out[0], count, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Issend(out[1], count, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Isend(out[2], count, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[6]);
  MPI_Irsend(out[3], count, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[7]);
  requests[8] = MPI_REQUEST_NULL;
  MPI_Waitall(9, requests, statuses);
  for (int i = 0; i < 4; ++i) {
    expect(in[i], left * 10 + i, "waitall");
    int got = -1;
    MPI_Get_count(&statuses[i], MPI_INT, &got);
    CHECK(got == count && statuses[i].MPI_SOURCE == left && statuses[i].MPI_TAG == i, "status of receive %d",
          i);
  }
  for (int i = 0; i < 9; ++i) CHECK(requests[i] == MPI_REQUEST_NULL, "request %d is left", i);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void waitany_and_waitsome(void) {
  int out[count], in[3][count], seen = 0, index;
  MPI_Request requests[3], sends[3];
  for (int i = 0; i < 3; ++i) MPI_Irecv(in[i], count, MPI_INT, left, 10 + i, MPI_COMM_WORLD, &requests[i]);
  fill(out, rank);
  for (int i = 0; i < 3; ++i) MPI_Isend(out, count, MPI_INT, right, 10 + i, MPI_COMM_WORLD, &sends[i]);
  MPI_Status status;
  MPI_Waitany(3, requests, &index, &status);
  CHECK(index >= 0 && index < 3 && status.MPI_TAG == 10 + index, "waitany gave %d", index);
  expect(in[index], left, "waitany");
  seen |= 1 << index;
  int done, indices[3];
  MPI_Status statuses[3];
  while (seen != 7) {
    MPI_Waitsome(3, requests, &done, indices, statuses);
    CHECK(done > 0, "waitsome gave %d", done);
    for (int i = 0; i < done; ++i) {
      expect(in[indices[i]], left, "waitsome");
      CHECK(statuses[i].MPI_TAG == 10 + indices[i], "tag %d of index %d", statuses[i].MPI_TAG, indices[i]);
      seen |= 1 << indices[i];
    }
  }
  MPI_Waitsome(3, requests, &done, indices, statuses);
  CHECK(done == MPI_UNDEFINED, "waitsome without active requests gave %d", done);
  MPI_Waitany(3, requests, &index, &status);
  CHECK(index == MPI_UNDEFINED, "waitany without active requests gave %d", index);
  MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
}

static void tests(void) {
  int out[count], in[4][count], flag = 0, index, done = 0, indices[4];
  MPI_Request requests[4], send;
  for (int i = 0; i < 4; ++i) MPI_Irecv(in[i], count, MPI_INT, left, 20 + i, MPI_COMM_WORLD, &requests[i]);
  fill(out, rank);
  for (int i = 0; i < 4; ++i) MPI_Send(out, count, MPI_INT, right, 20 + i, MPI_COMM_WORLD);
  while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  expect(in[0], left, "test");
  CHECK(requests[0] == MPI_REQUEST_NULL, "a tested request is left");
  for (flag = 0; !flag;) MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
  expect(in[index], left, "testany");
  while (done == 0) MPI_Testsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
  for (int i = 0; i < done; ++i) expect(in[indices[i]], left, "testsome");
  for (flag = 0; !flag;) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) expect(in[i], left, "testall");
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  CHECK(flag, "a null request tests as complete");

  MPI_Isend(out, count, MPI_INT, right, 30, MPI_COMM_WORLD, &send);
  MPI_Irecv(in[0], count, MPI_INT, left, 30, MPI_COMM_WORLD, &requests[0]);
  MPI_Status status;
  for (flag = 0; !flag;) MPI_Request_get_status(requests[0], &flag, &status);
  CHECK(requests[0] != MPI_REQUEST_NULL && status.MPI_TAG == 30, "the status of a request that stays");
  expect(in[0], left, "request_get_status");
  MPI_Wait(&requests[0], &status);
  CHECK(status.MPI_SOURCE == left, "source %d", status.MPI_SOURCE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

static void exchanges(void) {
  int out[count], in[count];
  MPI_Status status;
  fill(out, rank);
  MPI_Sendrecv(out, count, MPI_INT, right, 1, in, count, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  expect(in, left, "sendrecv");
  MPI_Sendrecv_replace(out, count, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &status);
  expect(out, left, "sendrecv_replace");
  fill(out, rank);
  memset(in, 0, sizeof in);
  const int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Sendrecv(out, count, MPI_INT, up, 3, in, count, MPI_INT, down, 3, MPI_COMM_WORLD, &status);
  if (down == MPI_PROC_NULL) {
    int got = -1;
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && got == 0, "from nobody");
  } else {
    expect(in, down, "shift");
  }
  MPI_Request request;
  MPI_Irecv(in, count, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL, "irecv from nobody");
  MPI_Send(out, count, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void buffered(void) {
  int out[count], in[count];
  const int size = (int)(sizeof out) + MPI_BSEND_OVERHEAD;
  void* buffer = malloc((size_t)size);
  MPI_Buffer_attach(buffer, size);
  fill(out, rank);
  MPI_Bsend(out, count, MPI_INT, right, 5, MPI_COMM_WORLD);
  MPI_Recv(in, count, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(in, left, "bsend");
  int detached;
  void* address;
  MPI_Buffer_detach(&address, &detached);
  free(buffer);
  MPI_Request request;
  MPI_Irecv(in, count, MPI_INT, left, 6, MPI_COMM_WORLD, &request);
  MPI_Ssend(out, count, MPI_INT, right, 6, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(in, left, "ssend");
}

static void cancelled_and_freed(void) {
  int in[count], out[count], flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(in, count, MPI_INT, left, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag, "a receive that nobody sends to is cancelled");
  fill(out, rank);
  MPI_Isend(out, count, MPI_INT, right, 40, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL, "a freed request is null");
  memset(in, 0, sizeof in);
  MPI_Irecv(in, count, MPI_INT, left, 40, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  int token = 0;
  MPI_Sendrecv(&rank, 1, MPI_INT, right, 41, &token, 1, MPI_INT, left, 41, MPI_COMM_WORLD, &status);
  expect(in, left, "a freed receive's message came before a later one");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks;
  right = (rank + 1) % ranks;
  waitall();
  waitany_and_waitsome();
  tests();
  exchanges();
  buffered();
  cancelled_and_freed();
  return verdict("nonblocking");
}
