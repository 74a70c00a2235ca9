// Requests that the program itself completes, alone and beside those of messages.
// ranks: 2
#include "conformance.h"

typedef struct {
  int queried, freed, cancelled, complete_when_cancelled;
  int tag;
} Operation;

static int query(void* state, MPI_Status* status) {
  Operation* operation = (Operation*)state;
  ++operation->queried;
  MPI_Status_set_elements(status, MPI_INT, operation->tag);
  MPI_Status_set_cancelled(status, operation->cancelled);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = operation->tag;
  return MPI_SUCCESS;
}

static int release(void* state) {
  ++((Operation*)state)->freed;
  return MPI_SUCCESS;
}

static int cancel(void* state, int complete) {
  Operation* operation = (Operation*)state;
  operation->cancelled = 1;
  operation->complete_when_cancelled = complete;
  return MPI_SUCCESS;
}

CASE(completed_then_waited_for) {
  Operation operation = {0, 0, 0, -1, 5};
  MPI_Request request;
  MPI_Status status;
  int flag = -1, elements = -1;
  CHECK_OK(MPI_Grequest_start(query, release, cancel, &operation, &request));
  CHECK_OK(MPI_Test(&request, &flag, &status));
  CHECK_INT(0, flag);
  CHECK_OK(MPI_Grequest_complete(request));
  CHECK_OK(MPI_Wait(&request, &status));
  CHECK_SAME(MPI_REQUEST_NULL, request);
  CHECK_INT(5, status.MPI_TAG);
  MPI_Get_elements(&status, MPI_INT, &elements);
  CHECK_INT(5, elements);
  CHECK_INT(1, operation.queried);
  CHECK_INT(1, operation.freed);
}

CASE(mixed_with_ordinary_requests_in_waitall) {
  Operation operation = {0, 0, 0, -1, 3};
  int out = world_rank, in = -1;
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_Irecv(&in, 1, MPI_INT, 1 - world_rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Grequest_start(query, release, cancel, &operation, &requests[1]);
  MPI_Isend(&out, 1, MPI_INT, 1 - world_rank, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Grequest_complete(requests[1]);
  CHECK_OK(MPI_Waitall(3, requests, statuses));
  CHECK_INT(1 - world_rank, in);
  CHECK_INT(1 - world_rank, statuses[0].MPI_SOURCE);
  CHECK_INT(3, statuses[1].MPI_TAG);
  CHECK_INT(1, operation.freed);
  for (int i = 0; i < 3; ++i) CHECK_SAME(MPI_REQUEST_NULL, requests[i]);
}

CASE(mixed_in_waitany) {
  Operation operation = {0, 0, 0, -1, 2};
  int in = -1, index = -1;
  const int out = 8;
  MPI_Request requests[2];
  MPI_Irecv(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]);
  MPI_Grequest_start(query, release, cancel, &operation, &requests[1]);
  MPI_Grequest_complete(requests[1]);
  CHECK_OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
  CHECK_INT(1, index);
  MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  CHECK_OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
  CHECK_INT(0, index);
  CHECK_INT(8, in);
}

CASE(mixed_in_testall) {
  Operation operation = {0, 0, 0, -1, 2};
  int in = -1, flag = -1;
  const int out = 9;
  MPI_Request requests[2];
  MPI_Irecv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]);
  MPI_Grequest_start(query, release, cancel, &operation, &requests[1]);
  MPI_Send(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
  MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK_INT(0, flag);
  MPI_Grequest_complete(requests[1]);
  for (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK_INT(9, in);
  CHECK_INT(1, operation.freed);
}

CASE(cancel_calls_the_program) {
  Operation operation = {0, 0, 0, -1, 1};
  MPI_Request request;
  MPI_Status status;
  int cancelled = -1;
  MPI_Grequest_start(query, release, cancel, &operation, &request);
  CHECK_OK(MPI_Cancel(&request));
  CHECK_INT(1, operation.cancelled);
  CHECK_INT(0, operation.complete_when_cancelled);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_INT(1, cancelled);
}

CASE(request_free_releases_after_completion) {
  static Operation operation = {0, 0, 0, -1, 1};
  MPI_Request request;
  MPI_Grequest_start(query, release, cancel, &operation, &request);
  MPI_Grequest_complete(request);
  CHECK_OK(MPI_Request_free(&request));
  CHECK_SAME(MPI_REQUEST_NULL, request);
  CHECK_INT(1, operation.freed);
}

CASE(request_get_status_queries) {
  Operation operation = {0, 0, 0, -1, 6};
  MPI_Request request;
  MPI_Status status;
  int flag = -1;
  MPI_Grequest_start(query, release, cancel, &operation, &request);
  MPI_Request_get_status(request, &flag, &status);
  CHECK_INT(0, flag);
  MPI_Grequest_complete(request);
  MPI_Request_get_status(request, &flag, &status);
  CHECK_INT(1, flag);
  CHECK_INT(6, status.MPI_TAG);
  CHECK_INT(0, operation.freed);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(1, operation.freed);
}
