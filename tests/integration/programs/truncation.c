// A message longer than its room is an error that the program may handle; so are arguments that make no
// sense.
#include "check.h"

static int class_of(int error) {
  int class;
  MPI_Error_class(error, &class);
  return class;
}

static int handled = 0;

static void handler(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  handled = class_of(*error);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int out[10] = {0}, in[10];
  MPI_Status status, statuses[2];
  MPI_Request requests[2];

  MPI_Isend(out, 10, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[0]);
  int error = MPI_Recv(in, 5, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  CHECK(class_of(error) == MPI_ERR_TRUNCATE, "recv: error class %d", class_of(error));
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

  MPI_Irecv(in, 5, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in, 10, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(out, 10, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Send(out, 10, MPI_INT, right, 3, MPI_COMM_WORLD);
  error = MPI_Waitall(2, requests, statuses);
  CHECK(class_of(error) == MPI_ERR_IN_STATUS, "waitall: error class %d", class_of(error));
  CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE, "waitall: %d", statuses[0].MPI_ERROR);
  CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS || statuses[1].MPI_ERROR == MPI_ERR_PENDING, "waitall: %d",
        statuses[1].MPI_ERROR);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

  error = MPI_Send(out, 1, MPI_INT, ranks + 5, 0, MPI_COMM_WORLD);
  CHECK(class_of(error) == MPI_ERR_RANK, "no such rank: error class %d", class_of(error));
  error = MPI_Send(out, -1, MPI_INT, right, 0, MPI_COMM_WORLD);
  CHECK(class_of(error) == MPI_ERR_COUNT, "negative count: error class %d", class_of(error));
  error = MPI_Send(out, 1, MPI_INT, right, -7, MPI_COMM_WORLD);
  CHECK(class_of(error) == MPI_ERR_TAG, "negative tag: error class %d", class_of(error));
  error = MPI_Bcast(out, 1, MPI_INT, ranks, MPI_COMM_WORLD);
  CHECK(class_of(error) == MPI_ERR_ROOT, "no such root: error class %d", class_of(error));

  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  MPI_Isend(out, 10, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv(in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &status);
  CHECK(handled == MPI_ERR_TRUNCATE, "the handler saw %d", handled);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Errhandler_free(&own);
  return verdict("truncation");
}
