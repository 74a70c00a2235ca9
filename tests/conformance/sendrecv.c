// Sending and receiving in one call, blocking and not, in two buffers or one.
// ranks: 5
#include "conformance.h"

static int next_rank(void) {
  return (world_rank + 1) % world_size;
}
static int previous_rank(void) {
  return (world_rank + world_size - 1) % world_size;
}

CASE(sendrecv_shifts_a_ring) {
  int token = world_rank;
  for (int step = 0; step < world_size; ++step) {
    int got = -1;
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(&token, 1, MPI_INT, next_rank(), step, &got, 1, MPI_INT, previous_rank(), step,
                          MPI_COMM_WORLD, &status));
    CHECK_INT(previous_rank(), status.MPI_SOURCE);
    CHECK_INT(step, status.MPI_TAG);
    DIGEST(&got, sizeof got);
    token = got;
  }
  CHECK_INT(world_rank, token);
}

CASE(sendrecv_of_large_messages) {
  enum { count = 150000 };
  int* out = (int*)malloc(count * sizeof(int));
  int* in = (int*)malloc(count * sizeof(int));
  fill(out, count, world_rank);
  MPI_Sendrecv(out, count, MPI_INT, next_rank(), 0, in, count, MPI_INT, previous_rank(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK_INT(-1, first_difference(in, count, previous_rank()));
  free(out);
  free(in);
}

CASE(sendrecv_with_other_types_and_counts) {
  int out[6], count = -1;
  double in[10];
  double value[3] = {1.5 + world_rank, 2.5, 3.5};
  MPI_Status status;
  memset(out, 0, sizeof out);
  memcpy(out, value, sizeof value);
  // Bytes go out, doubles come in from a rank that sent bytes.
  MPI_Sendrecv(out, (int)sizeof value, MPI_BYTE, next_rank(), 1, in, (int)sizeof in, MPI_BYTE,
               previous_rank(), 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK_INT(3, count);
  CHECK(in[0] == 1.5 + previous_rank() && in[2] == 3.5);
}

CASE(sendrecv_with_proc_null) {
  // A line, not a ring: its ends have no neighbour.
  const int left = world_rank == 0 ? MPI_PROC_NULL : world_rank - 1;
  const int right = world_rank == world_size - 1 ? MPI_PROC_NULL : world_rank + 1;
  int got = -5;
  MPI_Status status;
  MPI_Sendrecv(&world_rank, 1, MPI_INT, right, 2, &got, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &status);
  CHECK_INT(world_rank == 0 ? -5 : world_rank - 1, got);
  CHECK_INT(left, status.MPI_SOURCE);
}

CASE(sendrecv_meets_plain_calls) {
  int got = -1;
  if (world_rank == 0) {
    MPI_Sendrecv(&world_rank, 1, MPI_INT, 1, 3, &got, 1, MPI_INT, 2, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(2, got);
  } else if (world_rank == 1) {
    MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(0, got);
  } else if (world_rank == 2) {
    MPI_Send(&world_rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  }
}

CASE(sendrecv_with_wildcards) {
  int got = -1;
  MPI_Status status;
  MPI_Sendrecv(&world_rank, 1, MPI_INT, next_rank(), world_rank, &got, 1, MPI_INT, MPI_ANY_SOURCE,
               MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  CHECK_INT(previous_rank(), got);
  CHECK_INT(previous_rank(), status.MPI_SOURCE);
  CHECK_INT(previous_rank(), status.MPI_TAG);
}

CASE(sendrecv_with_oneself) {
  int value = 70 + world_rank, got = -1;
  MPI_Sendrecv(&value, 1, MPI_INT, world_rank, 0, &got, 1, MPI_INT, world_rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK_INT(70 + world_rank, got);
}

CASE(sendrecv_replace) {
  int values[100];
  MPI_Status status;
  fill(values, 100, world_rank);
  CHECK_OK(MPI_Sendrecv_replace(values, 100, MPI_INT, next_rank(), 5, previous_rank(), 5, MPI_COMM_WORLD,
                                &status));
  CHECK_INT(-1, first_difference(values, 100, previous_rank()));
  CHECK_INT(previous_rank(), status.MPI_SOURCE);
  DIGEST(values, sizeof values);
}

CASE(sendrecv_replace_of_large_messages) {
  enum { count = 100000 };
  int* values = (int*)malloc(count * sizeof(int));
  fill(values, count, world_rank);
  MPI_Sendrecv_replace(values, count, MPI_INT, next_rank(), 6, previous_rank(), 6, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  CHECK_INT(-1, first_difference(values, count, previous_rank()));
  free(values);
}

CASE(sendrecv_replace_of_a_strided_type) {
  int grid[4][3];
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 12; ++i) grid[i / 3][i % 3] = world_rank * 100 + i;
  MPI_Sendrecv_replace(&grid[0][1], 1, column, next_rank(), 7, previous_rank(), 7, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  for (int i = 0; i < 12; ++i) {
    CHECK_INT((i % 3 == 1 ? previous_rank() : world_rank) * 100 + i, grid[i / 3][i % 3]);
  }
  MPI_Type_free(&column);
}

CASE(sendrecv_replace_with_proc_null) {
  int value = 8;
  MPI_Status status;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK_INT(8, value);
  CHECK_INT(MPI_PROC_NULL, status.MPI_SOURCE);
}

#if MPI_VERSION >= 4
CASE(isendrecv) {
  int out[50], in[50];
  MPI_Request request;
  MPI_Status status;
  fill(out, 50, world_rank);
  CHECK_OK(MPI_Isendrecv(out, 50, MPI_INT, next_rank(), 9, in, 50, MPI_INT, previous_rank(), 9,
                         MPI_COMM_WORLD, &request));
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_OK(MPI_Wait(&request, &status));
  CHECK_SAME(MPI_REQUEST_NULL, request);
  CHECK_INT(-1, first_difference(in, 50, previous_rank()));
  DIGEST(in, sizeof in);
}

CASE(isendrecv_several_at_once) {
  enum { rounds = 6 };
  int out[rounds], in[rounds];
  MPI_Request requests[rounds];
  for (int i = 0; i < rounds; ++i) {
    out[i] = pattern(world_rank, i);
    in[i] = -1;
    MPI_Isendrecv(&out[i], 1, MPI_INT, (world_rank + i) % world_size, i, &in[i], 1, MPI_INT,
                  (world_rank + 2 * world_size - i) % world_size, i, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(rounds, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < rounds; ++i) {
    CHECK_INT(pattern((world_rank + 2 * world_size - i) % world_size, i), in[i]);
  }
}

CASE(isendrecv_replace) {
  int values[80];
  MPI_Request request;
  fill(values, 80, world_rank);
  CHECK_OK(MPI_Isendrecv_replace(values, 80, MPI_INT, next_rank(), 10, previous_rank(), 10, MPI_COMM_WORLD,
                                 &request));
  CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_INT(-1, first_difference(values, 80, previous_rank()));
}

CASE(isendrecv_meets_sendrecv) {
  int got = -1;
  if (world_rank % 2 == 0) {
    MPI_Request request;
    MPI_Isendrecv(&world_rank, 1, MPI_INT, next_rank(), 11, &got, 1, MPI_INT, previous_rank(), 11,
                  MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Sendrecv(&world_rank, 1, MPI_INT, next_rank(), 11, &got, 1, MPI_INT, previous_rank(), 11,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  CHECK_INT(previous_rank(), got);
}
#endif
