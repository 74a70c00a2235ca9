// Cancelling receives.
// ranks: 3
#include "conformance.h"

CASE(cancel_of_an_unmatched_receive) {
  int value = 6, cancelled = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
  CHECK_OK(MPI_Cancel(&request));
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_OK(MPI_Wait(&request, &status));
  CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
  CHECK_INT(1, cancelled);
  CHECK_INT(6, value);
  CHECK_SAME(MPI_REQUEST_NULL, request);
}

CASE(cancelled_receives_take_no_message) {
  if (world_rank == 0) {
    int first = -1, second = -1, cancelled = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&first, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK_INT(1, cancelled);
    MPI_Send(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Recv(&second, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(-1, first);
    CHECK_INT(77, second);
  } else if (world_rank == 1) {
    const int value = 77;
    MPI_Recv(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
}

CASE(cancel_after_the_message_has_come_does_nothing) {
  if (world_rank == 0) {
    int value = -1, cancelled = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
    MPI_Recv(NULL, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Cancel(&request));
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK_INT(0, cancelled);
    CHECK_INT(88, value);
    CHECK_INT(1, status.MPI_SOURCE);
    CHECK_INT(4, status.MPI_TAG);
  } else if (world_rank == 1) {
    const int value = 88;
    MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
  }
}

CASE(cancel_one_of_several) {
  if (world_rank == 0) {
    int got[3] = {-1, -1, -1}, cancelled = -1;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    for (int i = 0; i < 3; ++i) MPI_Irecv(&got[i], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[i]);
    MPI_Cancel(&requests[1]);
    MPI_Send(NULL, 0, MPI_INT, 1, 6, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, statuses);
    for (int i = 0; i < 3; ++i) {
      MPI_Test_cancelled(&statuses[i], &cancelled);
      CHECK_INT(i == 1, cancelled);
    }
    CHECK_INT(50, got[0]);
    CHECK_INT(-1, got[1]);
    CHECK_INT(51, got[2]);
  } else if (world_rank == 1) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int value = 50; value <= 51; ++value) MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  }
}

CASE(cancel_of_a_persistent_receive_leaves_it_usable) {
  int value = -1, cancelled = -1, out = 9;
  MPI_Request request;
  MPI_Status status;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_INT(1, cancelled);
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Start(&request);
  MPI_Send(&out, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_INT(0, cancelled);
  CHECK_INT(9, value);
  MPI_Request_free(&request);
}

CASE(test_completes_a_cancelled_receive) {
  int value = -1, flag = 0, cancelled = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&value, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
  MPI_Cancel(&request);
  while (!flag) MPI_Test(&request, &flag, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_INT(1, cancelled);
}

CASE(cancel_then_request_free) {
  static int value = -1;
  int got = -1;
  const int out = 4;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
  MPI_Cancel(&request);
  CHECK_OK(MPI_Request_free(&request));
  CHECK_SAME(MPI_REQUEST_NULL, request);
  MPI_Irecv(&got, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 9, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(4, got);
  CHECK_INT(-1, value);
}

// A message to the rank itself, which MPICH takes back at once.
CASE(a_synchronous_send_is_known_to_be_cancelled_when_it_is_looked_at) {
  for (int looks = 0; looks < 2; ++looks) {
    const int out = 7;
    int flag = -1, cancelled = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Issend(&out, 1, MPI_INT, 0, 10, MPI_COMM_SELF, &request);
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(looks ? MPI_Test(&request, &flag, &status) : MPI_Request_get_status(request, &flag, &status));
    CHECK_INT(1, flag);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK_INT(1, cancelled);
    if (!looks) MPI_Request_free(&request);
  }
}
