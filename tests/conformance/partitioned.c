// Partitioned point-to-point communication: one message whose parts become ready one by one.
// ranks: 4
// needs MPI 4
#include "conformance.h"

enum { partitions = 8, words = 16 };

static int partner(void) {
  return world_rank ^ 1;
}
static int is_sender(void) {
  return world_rank % 2 == 0;
}

static void receive(int* values, MPI_Request* request) {
  MPI_Status status;
  CHECK_OK(MPI_Start(request));
  CHECK_OK(MPI_Wait(request, &status));
  CHECK_INT(partner(), status.MPI_SOURCE);
  DIGEST(values, partitions * words * sizeof(int));
}

CASE(pready_in_order) {
  int values[partitions * words] = {0};
  MPI_Request request;
  if (is_sender()) {
    CHECK_OK(MPI_Psend_init(values, partitions, words, MPI_INT, partner(), 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &request));
    CHECK_OK(MPI_Start(&request));
    fill(values, partitions * words, 1);
    for (int p = 0; p < partitions; ++p) CHECK_OK(MPI_Pready(p, request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    CHECK_OK(MPI_Precv_init(values, partitions, words, MPI_INT, partner(), 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &request));
    receive(values, &request);
    CHECK_INT(-1, first_difference(values, partitions * words, 1));
  }
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_OK(MPI_Request_free(&request));
}

CASE(pready_in_another_order) {
  int values[partitions * words] = {0};
  MPI_Request request;
  if (is_sender()) {
    MPI_Psend_init(values, partitions, words, MPI_INT, partner(), 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int p = partitions - 1; p >= 0; --p) {
      for (int i = 0; i < words; ++i) values[p * words + i] = pattern(2, p * words + i);
      MPI_Pready(p, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Precv_init(values, partitions, words, MPI_INT, partner(), 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    receive(values, &request);
    CHECK_INT(-1, first_difference(values, partitions * words, 2));
  }
  MPI_Request_free(&request);
}

CASE(pready_range_and_list) {
  int values[partitions * words] = {0};
  MPI_Request request;
  if (is_sender()) {
    static int odd[] = {7, 5};
    fill(values, partitions * words, 3);
    MPI_Psend_init(values, partitions, words, MPI_INT, partner(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    CHECK_OK(MPI_Pready_range(0, 4, request));
    CHECK_OK(MPI_Pready_list(2, odd, request));
    CHECK_OK(MPI_Pready(6, request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Precv_init(values, partitions, words, MPI_INT, partner(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    receive(values, &request);
    CHECK_INT(-1, first_difference(values, partitions * words, 3));
  }
  MPI_Request_free(&request);
}

CASE(partitioned_requests_are_reused) {
  int values[partitions * words] = {0};
  MPI_Request request;
  if (is_sender()) {
    MPI_Psend_init(values, partitions, words, MPI_INT, partner(), 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 4; ++round) {
      MPI_Start(&request);
      fill(values, partitions * words, 40 + round);
      MPI_Pready_range(0, partitions - 1, request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  } else {
    MPI_Precv_init(values, partitions, words, MPI_INT, partner(), 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 4; ++round) {
      receive(values, &request);
      CHECK_INT(-1, first_difference(values, partitions * words, 40 + round));
    }
  }
  MPI_Request_free(&request);
}

CASE(sides_may_partition_differently) {
  int values[partitions * words] = {0};
  MPI_Request request;
  if (is_sender()) {
    fill(values, partitions * words, 5);
    MPI_Psend_init(values, partitions, words, MPI_INT, partner(), 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready_range(0, partitions - 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Precv_init(values, 2, partitions * words / 2, MPI_INT, partner(), 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    receive(values, &request);
    CHECK_INT(-1, first_difference(values, partitions * words, 5));
  }
  MPI_Request_free(&request);
}

CASE(parrived_becomes_true_for_every_partition) {
  int values[partitions * words] = {0};
  MPI_Request request;
  if (is_sender()) {
    fill(values, partitions * words, 6);
    MPI_Psend_init(values, partitions, words, MPI_INT, partner(), 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Recv(NULL, 0, MPI_INT, partner(), 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int p = 0; p < partitions; ++p) MPI_Pready(p, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    int flag = -1;
    MPI_Precv_init(values, partitions, words, MPI_INT, partner(), 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int p = 0; p < partitions; ++p) {
      CHECK_OK(MPI_Parrived(request, p, &flag));
      CHECK_INT(0, flag);
    }
    MPI_Send(NULL, 0, MPI_INT, partner(), 60, MPI_COMM_WORLD);
    for (int p = partitions - 1; p >= 0; --p) {
      for (flag = 0; !flag;) MPI_Parrived(request, p, &flag);
      for (int i = 0; i < words; ++i) CHECK_INT(pattern(6, p * words + i), values[p * words + i]);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

CASE(one_partition_and_a_large_message) {
  enum { count = 100000 };
  int* values = (int*)calloc(count, sizeof(int));
  MPI_Request request;
  if (is_sender()) {
    fill(values, count, 7);
    MPI_Psend_init(values, 1, count, MPI_INT, partner(), 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(0, request);
  } else {
    MPI_Precv_init(values, 1, count, MPI_INT, partner(), 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(-1, first_difference(values, count, 7));
  MPI_Request_free(&request);
  free(values);
}

CASE(startall_and_waitall_of_both_directions) {
  int out[partitions], in[partitions] = {0};
  MPI_Request requests[2];
  for (int p = 0; p < partitions; ++p) out[p] = pattern(world_rank, p);
  MPI_Psend_init(out, partitions, 1, MPI_INT, partner(), 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, partitions, 1, MPI_INT, partner(), 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  CHECK_OK(MPI_Startall(2, requests));
  MPI_Pready_range(0, partitions - 1, requests[0]);
  CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  for (int p = 0; p < partitions; ++p) CHECK_INT(pattern(partner(), p), in[p]);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

// MPI 4.0, 4.2.1: messages of one sender, receiver, tag and communicator match in the order of
// initialisation.
CASE(pairs_started_in_another_order_than_initialised) {
  static const int order[3] = {2, 0, 1};
  int values[3][partitions];
  MPI_Request requests[3];
  memset(values, 0, sizeof values);
  for (int i = 0; i < 3; ++i) {
    if (is_sender()) {
      fill(values[i], partitions, 90 + i);
      MPI_Psend_init(values[i], partitions, 1, MPI_INT, partner(), 9, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[i]);
    } else {
      MPI_Precv_init(values[i], partitions, 1, MPI_INT, partner(), 9, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[i]);
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) {
      const int which = is_sender() ? order[i] : i;
      CHECK_OK(MPI_Start(&requests[which]));
      if (is_sender()) MPI_Pready_range(0, partitions - 1, requests[which]);
    }
    CHECK_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 3; ++i) CHECK_INT(-1, first_difference(values[i], partitions, 90 + i));
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
}

CASE(tests_between_partitions_find_nothing) {
  int values[partitions * words] = {0}, flag = -1;
  MPI_Request request;
  if (is_sender()) {
    fill(values, partitions * words, 11);
    MPI_Psend_init(values, partitions, words, MPI_INT, partner(), 11, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    MPI_Start(&request);
    for (int p = 0; p < partitions; ++p) {
      CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
      CHECK_INT(0, flag);
      MPI_Pready(p, request);
    }
    for (flag = 0; !flag;) CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  } else {
    MPI_Precv_init(values, partitions, words, MPI_INT, partner(), 11, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    receive(values, &request);
    CHECK_INT(-1, first_difference(values, partitions * words, 11));
  }
  MPI_Request_free(&request);
}
