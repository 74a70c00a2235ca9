// The ways to send: standard, synchronous, buffered and ready, blocking and not.
// ranks: 4
#include "conformance.h"

enum { words = 300 };

// Even ranks send to the next odd one.
static int is_sender(void) {
  return world_rank % 2 == 0;
}
static int partner(void) {
  return is_sender() ? world_rank + 1 : world_rank - 1;
}

static void receive_and_check(int tag) {
  int got[words];
  memset(got, 0, sizeof got);
  MPI_Status status;
  CHECK_OK(MPI_Recv(got, words, MPI_INT, partner(), tag, MPI_COMM_WORLD, &status));
  CHECK_INT(-1, first_difference(got, words, partner() * 100 + tag));
  CHECK_INT(partner(), status.MPI_SOURCE);
  CHECK_INT(tag, status.MPI_TAG);
  DIGEST(got, sizeof got);
}

CASE(send) {
  if (is_sender()) {
    int values[words];
    fill(values, words, world_rank * 100 + 1);
    CHECK_OK(MPI_Send(values, words, MPI_INT, partner(), 1, MPI_COMM_WORLD));
  } else {
    receive_and_check(1);
  }
}

CASE(ssend) {
  if (is_sender()) {
    int values[words];
    fill(values, words, world_rank * 100 + 2);
    CHECK_OK(MPI_Ssend(values, words, MPI_INT, partner(), 2, MPI_COMM_WORLD));
  } else {
    receive_and_check(2);
  }
}

CASE(rsend) {
  int values[words];
  if (is_sender()) {
    fill(values, words, world_rank * 100 + 3);
    MPI_Recv(NULL, 0, MPI_INT, partner(), 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Rsend(values, words, MPI_INT, partner(), 3, MPI_COMM_WORLD));
  } else {
    MPI_Request request;
    MPI_Irecv(values, words, MPI_INT, partner(), 3, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_INT, partner(), 30, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(-1, first_difference(values, words, partner() * 100 + 3));
  }
}

CASE(isend_and_its_buffer_after_wait) {
  if (is_sender()) {
    int values[words];
    fill(values, words, world_rank * 100 + 4);
    MPI_Request request;
    CHECK_OK(MPI_Isend(values, words, MPI_INT, partner(), 4, MPI_COMM_WORLD, &request));
    CHECK(request != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_SAME(MPI_REQUEST_NULL, request);
    memset(values, 0, sizeof values);  // the message must not change any more
    MPI_Send(NULL, 0, MPI_INT, partner(), 40, MPI_COMM_WORLD);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, partner(), 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive_and_check(4);
  }
}

CASE(issend_completes_only_when_matched) {
  if (is_sender()) {
    int values[words], flag = -1;
    fill(values, words, world_rank * 100 + 5);
    MPI_Request request;
    CHECK_OK(MPI_Issend(values, words, MPI_INT, partner(), 5, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 5; ++i) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      CHECK_INT(0, flag);
    }
    MPI_Send(NULL, 0, MPI_INT, partner(), 50, MPI_COMM_WORLD);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    MPI_Recv(NULL, 0, MPI_INT, partner(), 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive_and_check(5);
  }
}

CASE(irsend) {
  int values[words];
  MPI_Request request;
  if (is_sender()) {
    fill(values, words, world_rank * 100 + 6);
    MPI_Recv(NULL, 0, MPI_INT, partner(), 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Irsend(values, words, MPI_INT, partner(), 6, MPI_COMM_WORLD, &request));
  } else {
    MPI_Irecv(values, words, MPI_INT, partner(), 6, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_INT, partner(), 60, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(-1, first_difference(values, words, (is_sender() ? world_rank : partner()) * 100 + 6));
}

CASE(bsend_returns_before_the_receive_is_posted) {
  // Everybody sends first: that only works because the sends are buffered.
  int values[words], size = 0;
  MPI_Pack_size(words, MPI_INT, MPI_COMM_WORLD, &size);
  size += MPI_BSEND_OVERHEAD;
  void* buffer = malloc((size_t)size);
  CHECK_OK(MPI_Buffer_attach(buffer, size));
  fill(values, words, world_rank * 100 + 7);
  CHECK_OK(MPI_Bsend(values, words, MPI_INT, partner(), 7, MPI_COMM_WORLD));
  memset(values, 0, sizeof values);
  receive_and_check(7);
  void* detached = NULL;
  int detached_size = 0;
  CHECK_OK(MPI_Buffer_detach(&detached, &detached_size));
  CHECK(detached == buffer);
  CHECK_INT(size, detached_size);
  free(buffer);
}

CASE(buffer_detach_waits_for_what_is_buffered) {
  enum { messages = 3, many = 20000 };
  if (is_sender()) {
    int* values = (int*)malloc(many * sizeof(int));
    int size = 0;
    MPI_Pack_size(many, MPI_INT, MPI_COMM_WORLD, &size);
    size = messages * (size + MPI_BSEND_OVERHEAD);
    void* buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    for (int m = 0; m < messages; ++m) {
      fill(values, many, 800 + m);
      CHECK_OK(MPI_Bsend(values, many, MPI_INT, partner(), 8, MPI_COMM_WORLD));
    }
    MPI_Buffer_detach(&buffer, &size);
    memset(buffer, 0, (size_t)size);
    free(buffer);
    free(values);
  } else {
    int* got = (int*)malloc(many * sizeof(int));
    for (int m = 0; m < messages; ++m) {
      MPI_Recv(got, many, MPI_INT, partner(), 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(-1, first_difference(got, many, 800 + m));
    }
    free(got);
  }
}

CASE(ibsend) {
  int values[words], size = 0;
  MPI_Pack_size(words, MPI_INT, MPI_COMM_WORLD, &size);
  size += MPI_BSEND_OVERHEAD;
  void* buffer = malloc((size_t)size);
  MPI_Buffer_attach(buffer, size);
  fill(values, words, world_rank * 100 + 9);
  MPI_Request request;
  CHECK_OK(MPI_Ibsend(values, words, MPI_INT, partner(), 9, MPI_COMM_WORLD, &request));
  CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  memset(values, 0, sizeof values);
  receive_and_check(9);
  MPI_Buffer_detach(&buffer, &size);
  free(buffer);
}

CASE(bsend_beyond_its_buffer_is_an_error) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  static char buffer[MPI_BSEND_OVERHEAD + 16];
  void* detached;
  int size, values[words] = {0};
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Bsend(values, words, MPI_INT, 0, 0, comm));
  MPI_Buffer_detach(&detached, &size);
  MPI_Comm_free(&comm);
}

CASE(modes_keep_one_order) {
  // Messages of one pair, tag and communicator match in the order sent, whatever their mode.
  enum { per_mode = 4, messages = 12 };
  if (is_sender()) {
    int values[messages];
    MPI_Request requests[messages];
    for (int m = 0; m < messages; ++m) {
      values[m] = 1000 + m;
      if (m % 3 == 0) MPI_Isend(&values[m], 1, MPI_INT, partner(), 11, MPI_COMM_WORLD, &requests[m]);
      if (m % 3 == 1) MPI_Issend(&values[m], 1, MPI_INT, partner(), 11, MPI_COMM_WORLD, &requests[m]);
      if (m % 3 == 2) {
        MPI_Send(&values[m], 1, MPI_INT, partner(), 11, MPI_COMM_WORLD);
        requests[m] = MPI_REQUEST_NULL;
      }
    }
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int m = 0; m < messages; ++m) {
      int got = -1;
      MPI_Recv(&got, 1, MPI_INT, partner(), 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(1000 + m, got);
    }
  }
}

CASE(every_rank_to_every_rank) {
  enum { most = 8 };
  int got[most], mine[most];
  MPI_Request requests[2 * most];
  for (int r = 0; r < world_size; ++r) {
    mine[r] = pattern(world_rank, r);
    MPI_Irecv(&got[r], 1, MPI_INT, r, 12, MPI_COMM_WORLD, &requests[r]);
  }
  for (int r = 0; r < world_size; ++r) {
    MPI_Isend(&mine[r], 1, MPI_INT, r, 12, MPI_COMM_WORLD, &requests[world_size + r]);
  }
  MPI_Waitall(2 * world_size, requests, MPI_STATUSES_IGNORE);
  for (int r = 0; r < world_size; ++r) CHECK_INT(pattern(r, world_rank), got[r]);
  DIGEST(got, (size_t)world_size * sizeof(int));
}

CASE(message_is_copied_when_send_returns) {
  // Send may return before the receive: what arrives is what was there at the time of the call.
  if (is_sender()) {
    for (int m = 0; m < 50; ++m) {
      int value = m;
      MPI_Send(&value, 1, MPI_INT, partner(), 13, MPI_COMM_WORLD);
    }
    MPI_Send(NULL, 0, MPI_INT, partner(), 130, MPI_COMM_WORLD);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, partner(), 130, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int m = 0; m < 50; ++m) {
      int got = -1;
      MPI_Recv(&got, 1, MPI_INT, partner(), 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(m, got);
    }
  }
}
