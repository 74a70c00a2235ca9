// Persistent requests: made once, started often.
// ranks: 4
#include "conformance.h"

static int partner(void) {
  return world_rank ^ 1;
}
static int is_sender(void) {
  return world_rank % 2 == 0;
}

enum { rounds = 5, words = 64 };

CASE(send_init_and_recv_init_are_reused) {
  int values[words] = {0};
  MPI_Request request;
  if (is_sender()) {
    CHECK_OK(MPI_Send_init(values, words, MPI_INT, partner(), 1, MPI_COMM_WORLD, &request));
  } else {
    CHECK_OK(MPI_Recv_init(values, words, MPI_INT, partner(), 1, MPI_COMM_WORLD, &request));
  }
  for (int round = 0; round < rounds; ++round) {
    MPI_Status status;
    if (is_sender()) fill(values, words, round);
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK(request != MPI_REQUEST_NULL);
    CHECK_INT(-1, first_difference(values, words, round));
    if (!is_sender()) {
      CHECK_INT(partner(), status.MPI_SOURCE);
      DIGEST(values, sizeof values);
    }
  }
  CHECK_OK(MPI_Request_free(&request));
  CHECK_SAME(MPI_REQUEST_NULL, request);
}

CASE(ssend_init) {
  int value = -1;
  MPI_Request request;
  if (is_sender()) {
    CHECK_OK(MPI_Ssend_init(&value, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD, &request));
    for (int round = 0; round < rounds; ++round) {
      int flag = -1;
      value = 10 + round;
      MPI_Start(&request);
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      CHECK_INT(0, flag);  // the receiver waits for our next message first
      MPI_Send(NULL, 0, MPI_INT, partner(), 20, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  } else {
    for (int round = 0; round < rounds; ++round) {
      MPI_Recv(NULL, 0, MPI_INT, partner(), 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&value, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(10 + round, value);
    }
  }
}

CASE(bsend_init) {
  int value = -1, size = 0;
  MPI_Request request;
  if (is_sender()) {
    MPI_Pack_size(rounds, MPI_INT, MPI_COMM_WORLD, &size);
    size += rounds * MPI_BSEND_OVERHEAD + 64;
    void* buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    CHECK_OK(MPI_Bsend_init(&value, 1, MPI_INT, partner(), 3, MPI_COMM_WORLD, &request));
    for (int round = 0; round < rounds; ++round) {
      value = 20 + round;
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Send(NULL, 0, MPI_INT, partner(), 30, MPI_COMM_WORLD);
    MPI_Request_free(&request);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, partner(), 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int round = 0; round < rounds; ++round) {
      MPI_Recv(&value, 1, MPI_INT, partner(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(20 + round, value);
    }
  }
}

CASE(rsend_init) {
  int value = -1;
  MPI_Request request;
  if (is_sender()) {
    CHECK_OK(MPI_Rsend_init(&value, 1, MPI_INT, partner(), 4, MPI_COMM_WORLD, &request));
  } else {
    CHECK_OK(MPI_Recv_init(&value, 1, MPI_INT, partner(), 4, MPI_COMM_WORLD, &request));
  }
  for (int round = 0; round < rounds; ++round) {
    if (is_sender()) {
      value = 30 + round;
      MPI_Recv(NULL, 0, MPI_INT, partner(), 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Start(&request);
    } else {
      MPI_Start(&request);
      MPI_Send(NULL, 0, MPI_INT, partner(), 40, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(30 + round, value);
  }
  MPI_Request_free(&request);
}

CASE(startall_of_an_exchange) {
  enum { most = 8 };
  int out[most], in[most];
  MPI_Request requests[2 * most];
  MPI_Status statuses[2 * most];
  for (int r = 0; r < world_size; ++r) {
    MPI_Recv_init(&in[r], 1, MPI_INT, r, 5, MPI_COMM_WORLD, &requests[r]);
    MPI_Send_init(&out[r], 1, MPI_INT, r, 5, MPI_COMM_WORLD, &requests[world_size + r]);
  }
  for (int round = 0; round < rounds; ++round) {
    for (int r = 0; r < world_size; ++r) {
      out[r] = round * 10000 + world_rank * 100 + r;
      in[r] = -1;
    }
    CHECK_OK(MPI_Startall(2 * world_size, requests));
    CHECK_OK(MPI_Waitall(2 * world_size, requests, statuses));
    for (int r = 0; r < world_size; ++r) {
      CHECK_INT(round * 10000 + r * 100 + world_rank, in[r]);
      CHECK_INT(r, statuses[r].MPI_SOURCE);
      CHECK(requests[r] != MPI_REQUEST_NULL);
    }
    DIGEST(in, (size_t)world_size * sizeof(int));
  }
  for (int i = 0; i < 2 * world_size; ++i) MPI_Request_free(&requests[i]);
}

CASE(persistent_meets_ordinary_calls) {
  int value = -1;
  MPI_Request request;
  if (is_sender()) {
    MPI_Send_init(&value, 1, MPI_INT, partner(), 6, MPI_COMM_WORLD, &request);
    for (int round = 0; round < rounds; ++round) {
      value = round;
      if (round % 2 == 0) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(&value, 1, MPI_INT, partner(), 6, MPI_COMM_WORLD);
      }
    }
    MPI_Request_free(&request);
  } else {
    for (int round = 0; round < rounds; ++round) {
      MPI_Recv(&value, 1, MPI_INT, partner(), 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(round, value);
    }
  }
}

CASE(recv_init_with_wildcards) {
  if (world_rank == 0) {
    int value = -1;
    MPI_Request request;
    MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int r = 1; r < world_size; ++r) {
      MPI_Status status;
      MPI_Start(&request);
      MPI_Send(NULL, 0, MPI_INT, r, 70, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
      CHECK_INT(r, status.MPI_SOURCE);
      CHECK_INT(r + 7, status.MPI_TAG);
      CHECK_INT(r * 3, value);
    }
    MPI_Request_free(&request);
  } else {
    const int value = world_rank * 3;
    MPI_Recv(NULL, 0, MPI_INT, 0, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, world_rank + 7, MPI_COMM_WORLD);
  }
}

CASE(persistent_with_proc_null) {
  int value = 9;
  MPI_Request requests[2];
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 2; ++round) {
    MPI_Startall(2, requests);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // MPICH 4.0 gives an empty status here, where MPI asks for one that names MPI_PROC_NULL.
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK_INT(9, value);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

CASE(waitany_over_persistent_receives) {
  enum { count = 3 };
  if (world_rank == 0) {
    int in[count] = {-1, -1, -1};
    MPI_Request requests[count];
    for (int i = 0; i < count; ++i) MPI_Recv_init(&in[i], 1, MPI_INT, i + 1, 8, MPI_COMM_WORLD, &requests[i]);
    for (int round = 0; round < 2; ++round) {
      MPI_Startall(count, requests);
      for (int i = count - 1; i >= 0; --i) {
        int index = -1;
        MPI_Send(NULL, 0, MPI_INT, i + 1, 80, MPI_COMM_WORLD);
        MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        CHECK_INT(i, index);
        CHECK_INT((i + 1) * 10 + round, in[i]);
        CHECK(requests[i] != MPI_REQUEST_NULL);
      }
      int index = 0;
      MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);  // all inactive now
      CHECK_INT(MPI_UNDEFINED, index);
    }
    for (int i = 0; i < count; ++i) MPI_Request_free(&requests[i]);
  } else {
    for (int round = 0; round < 2; ++round) {
      const int value = world_rank * 10 + round;
      MPI_Recv(NULL, 0, MPI_INT, 0, 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
  }
}

CASE(testall_over_persistent_requests) {
  int out = world_rank, in = -1;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, partner(), 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, partner(), 9, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < rounds; ++round) {
    int flag = 0;
    out = round * 100 + world_rank;
    MPI_Startall(2, requests);
    while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK_INT(round * 100 + partner(), in);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

CASE(request_free_of_a_started_send) {
  static int value;
  MPI_Request request;
  if (is_sender()) {
    value = 44;
    MPI_Send_init(&value, 1, MPI_INT, partner(), 10, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    CHECK_OK(MPI_Request_free(&request));
    CHECK_SAME(MPI_REQUEST_NULL, request);
    MPI_Recv(NULL, 0, MPI_INT, partner(), 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, partner(), 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(44, got);
    MPI_Send(NULL, 0, MPI_INT, partner(), 100, MPI_COMM_WORLD);
  }
}

CASE(persistent_large_messages) {
  enum { count = 100000 };
  int* values = (int*)calloc(count, sizeof(int));
  MPI_Request request;
  if (is_sender()) {
    MPI_Send_init(values, count, MPI_INT, partner(), 11, MPI_COMM_WORLD, &request);
  } else {
    MPI_Recv_init(values, count, MPI_INT, partner(), 11, MPI_COMM_WORLD, &request);
  }
  for (int round = 0; round < 3; ++round) {
    if (is_sender()) fill(values, count, 90 + round);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(-1, first_difference(values, count, 90 + round));
  }
  MPI_Request_free(&request);
  free(values);
}
