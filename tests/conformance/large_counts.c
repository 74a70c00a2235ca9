// The functions of MPI 4 whose counts are MPI_Count.
// ranks: 2
// needs MPI 4
#include "conformance.h"

enum { words = 1000 };
static int values[words];

static int partner(void) {
  return 1 - world_rank;
}

static void check_received(const MPI_Status* status, int stream) {
  MPI_Count count = -1, elements = -1;
  CHECK_OK(MPI_Get_count_c(status, MPI_INT, &count));
  CHECK_INT(words, count);
  CHECK_OK(MPI_Get_elements_c(status, MPI_INT, &elements));
  CHECK_INT(words, elements);
  CHECK_INT(-1, first_difference(values, words, stream));
  DIGEST(values, sizeof values);
  memset(values, 0, sizeof values);
}

CASE(blocking_sends) {
  const MPI_Count count = words;
  if (world_rank == 0) {
    fill(values, words, 1);
    CHECK_OK(MPI_Send_c(values, count, MPI_INT, 1, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Ssend_c(values, count, MPI_INT, 1, 1, MPI_COMM_WORLD));
    MPI_Recv(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Rsend_c(values, count, MPI_INT, 1, 3, MPI_COMM_WORLD));
  } else {
    MPI_Status status;
    MPI_Request request;
    for (int m = 0; m < 2; ++m) {
      CHECK_OK(MPI_Recv_c(values, count, MPI_INT, 0, 1, MPI_COMM_WORLD, &status));
      check_received(&status, 1);
    }
    CHECK_OK(MPI_Irecv_c(values, count, MPI_INT, 0, 3, MPI_COMM_WORLD, &request));
    MPI_Send(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    check_received(&status, 1);
  }
}

CASE(nonblocking_sends) {
  const MPI_Count count = words;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  if (world_rank == 0) {
    fill(values, words, 2);
    CHECK_OK(MPI_Isend_c(values, count, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Issend_c(values, count, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int tag = 1; tag <= 2; ++tag) {
      MPI_Irecv_c(values, count, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Wait(&requests[0], &statuses[0]);
      check_received(&statuses[0], 2);
    }
  }
}

CASE(buffered_sends) {
  static char buffer[2 * (words * sizeof(int) + MPI_BSEND_OVERHEAD)];
  MPI_Request request;
  MPI_Status status;
  void* detached;
  int size;
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  fill(values, words, world_rank);
  CHECK_OK(MPI_Bsend_c(values, words, MPI_INT, partner(), 1, MPI_COMM_WORLD));
  CHECK_OK(MPI_Ibsend_c(values, words, MPI_INT, partner(), 1, MPI_COMM_WORLD, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int m = 0; m < 2; ++m) {
    MPI_Recv_c(values, words, MPI_INT, partner(), 1, MPI_COMM_WORLD, &status);
    check_received(&status, partner());
  }
  MPI_Buffer_detach(&detached, &size);
}

CASE(send_receive_in_one) {
  static int out[words];
  MPI_Status status;
  fill(out, words, world_rank + 10);
  CHECK_OK(MPI_Sendrecv_c(out, words, MPI_INT, partner(), 1, values, words, MPI_INT, partner(), 1,
                          MPI_COMM_WORLD, &status));
  check_received(&status, partner() + 10);
  fill(values, words, world_rank + 20);
  CHECK_OK(
      MPI_Sendrecv_replace_c(values, words, MPI_INT, partner(), 2, partner(), 2, MPI_COMM_WORLD, &status));
  check_received(&status, partner() + 20);
}

CASE(persistent_requests) {
  MPI_Request request;
  MPI_Status status;
  if (world_rank == 0) {
    CHECK_OK(MPI_Send_init_c(values, words, MPI_INT, 1, 1, MPI_COMM_WORLD, &request));
  } else {
    CHECK_OK(MPI_Recv_init_c(values, words, MPI_INT, 0, 1, MPI_COMM_WORLD, &request));
  }
  for (int round = 0; round < 2; ++round) {
    if (world_rank == 0) fill(values, words, round);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    if (world_rank == 1) check_received(&status, round);
  }
  MPI_Request_free(&request);
}

CASE(matched_probe) {
  if (world_rank == 0) {
    fill(values, words, 5);
    MPI_Send_c(values, words, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Send_c(values, words, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
    CHECK_OK(MPI_Mrecv_c(values, words, MPI_INT, &message, &status));
    check_received(&status, 5);
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
    CHECK_OK(MPI_Imrecv_c(values, words, MPI_INT, &message, &request));
    MPI_Wait(&request, &status);
    check_received(&status, 5);
  }
}

CASE(types_of_large_counts) {
  // A type of more than 2^31 bytes need not be sent to be described.
  MPI_Datatype huge, vector;
  MPI_Count size = -1, lower = -1, extent = -1;
  CHECK_OK(MPI_Type_contiguous_c((MPI_Count)3000000000, MPI_INT, &huge));
  CHECK_OK(MPI_Type_size_c(huge, &size));
  CHECK_INT(12000000000, size);
  CHECK_OK(MPI_Type_get_extent_c(huge, &lower, &extent));
  CHECK_INT(12000000000, extent);
  MPI_Type_free(&huge);

  fill(values, words, 6);
  CHECK_OK(MPI_Type_vector_c(10, 1, 3, MPI_INT, &vector));
  MPI_Type_commit(&vector);
  int got[30];
  for (int i = 0; i < 30; ++i) got[i] = -1;
  MPI_Sendrecv_c(values, 10, MPI_INT, partner(), 3, got, 1, vector, partner(), 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  for (int i = 0; i < 30; ++i) CHECK_INT(i % 3 == 0 ? pattern(6, i / 3) : -1, got[i]);
  MPI_Type_free(&vector);
}

CASE(packing) {
  MPI_Count size = -1, position = 0;
  char buffer[64];
  const int number = 77;
  int back = -1;
  CHECK_OK(MPI_Pack_size_c(1, MPI_INT, MPI_COMM_WORLD, &size));
  CHECK_INT(4, size);
  CHECK_OK(MPI_Pack_c(&number, 1, MPI_INT, buffer, 64, &position, MPI_COMM_WORLD));
  position = 0;
  CHECK_OK(MPI_Unpack_c(buffer, 64, &position, &back, 1, MPI_INT, MPI_COMM_WORLD));
  CHECK_INT(77, back);
}
