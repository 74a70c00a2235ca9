// The ways to complete requests, and what they do with null and inactive ones.
// ranks: 4
#include "conformance.h"

enum { count = 6 };
static int got[count], sent[count];
static MPI_Request requests[count];

// Rank 0 posts `count` receives from rank 1, tag by tag; the others have no part.
static void post_receives(void) {
  for (int i = 0; i < count; ++i) {
    got[i] = -1;
    MPI_Irecv(&got[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
  }
}

static void send_one(int tag) {
  sent[tag] = 500 + tag;
  MPI_Send(&sent[tag], 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

static void token(int to) {
  MPI_Send(NULL, 0, MPI_INT, to, 99, MPI_COMM_WORLD);
}
static void await_token(int from) {
  MPI_Recv(NULL, 0, MPI_INT, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

CASE(wait_in_any_order) {
  if (world_rank == 0) {
    post_receives();
    for (int i = count - 1; i >= 0; --i) {
      MPI_Status status;
      CHECK_OK(MPI_Wait(&requests[i], &status));
      CHECK_SAME(MPI_REQUEST_NULL, requests[i]);
      CHECK_INT(i, status.MPI_TAG);
      CHECK_INT(500 + i, got[i]);
    }
  } else if (world_rank == 1) {
    for (int i = 0; i < count; ++i) send_one(i);
  }
}

CASE(waitall_with_statuses) {
  if (world_rank == 0) {
    MPI_Status statuses[count];
    post_receives();
    CHECK_OK(MPI_Waitall(count, requests, statuses));
    for (int i = 0; i < count; ++i) {
      CHECK_INT(i, statuses[i].MPI_TAG);
      CHECK_INT(1, statuses[i].MPI_SOURCE);
      CHECK_INT(500 + i, got[i]);
      CHECK_SAME(MPI_REQUEST_NULL, requests[i]);
    }
    DIGEST(got, sizeof got);
  } else if (world_rank == 1) {
    for (int i = count - 1; i >= 0; --i) send_one(i);
  }
}

CASE(waitany_takes_what_has_come) {
  static const int order[count] = {3, 0, 5, 1, 4, 2};
  if (world_rank == 0) {
    post_receives();
    for (int i = 0; i < count; ++i) {
      int index = -1;
      MPI_Status status;
      token(1);
      CHECK_OK(MPI_Waitany(count, requests, &index, &status));
      CHECK_INT(order[i], index);
      CHECK_INT(order[i], status.MPI_TAG);
      CHECK_INT(500 + order[i], got[order[i]]);
      CHECK_SAME(MPI_REQUEST_NULL, requests[order[i]]);
    }
    int index = 0;
    CHECK_OK(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
    CHECK_INT(MPI_UNDEFINED, index);
  } else if (world_rank == 1) {
    for (int i = 0; i < count; ++i) {
      await_token(0);
      send_one(order[i]);
    }
  }
}

CASE(waitsome_takes_all_in_the_end) {
  if (world_rank == 0) {
    int seen[count] = {0}, left = count;
    post_receives();
    token(1);
    while (left > 0) {
      int done = 0, indices[count];
      MPI_Status statuses[count];
      CHECK_OK(MPI_Waitsome(count, requests, &done, indices, statuses));
      CHECK(done > 0 && done <= left);
      for (int i = 0; i < done; ++i) {
        ++seen[indices[i]];
        CHECK_INT(indices[i], statuses[i].MPI_TAG);
        CHECK_INT(500 + indices[i], got[indices[i]]);
      }
      left -= done;
    }
    for (int i = 0; i < count; ++i) CHECK_INT(1, seen[i]);
    int done = 0, indices[count];
    CHECK_OK(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE));
    CHECK_INT(MPI_UNDEFINED, done);
  } else if (world_rank == 1) {
    await_token(0);
    for (int i = 0; i < count; ++i) send_one(i);
  }
}

CASE(waitsome_takes_exactly_one_when_one_has_come) {
  if (world_rank == 0) {
    post_receives();
    for (int i = 0; i < count; ++i) {
      int done = 0, indices[count];
      token(1);
      MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
      CHECK_INT(1, done);
      CHECK_INT(count - 1 - i, indices[0]);
    }
  } else if (world_rank == 1) {
    for (int i = 0; i < count; ++i) {
      await_token(0);
      send_one(count - 1 - i);
    }
  }
}

CASE(test_fails_then_succeeds) {
  if (world_rank == 0) {
    int value = -1, flag = -1, polls = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 10; ++i) {
      CHECK_OK(MPI_Test(&request, &flag, &status));
      CHECK_INT(0, flag);
      CHECK(request != MPI_REQUEST_NULL);
    }
    token(1);
    for (flag = 0; !flag && polls < 100000000; ++polls) MPI_Test(&request, &flag, &status);
    CHECK_INT(1, flag);
    CHECK_SAME(MPI_REQUEST_NULL, request);
    CHECK_INT(500, value);
    CHECK_INT(0, status.MPI_TAG);
  } else if (world_rank == 1) {
    await_token(0);
    send_one(0);
  }
}

CASE(testall_is_all_or_nothing) {
  if (world_rank == 0) {
    int flag = -1;
    MPI_Status statuses[count];
    post_receives();
    token(1);
    await_token(1);  // all but the last have been sent
    CHECK_OK(MPI_Testall(count, requests, &flag, statuses));
    CHECK_INT(0, flag);
    for (int i = 0; i < count; ++i) CHECK(requests[i] != MPI_REQUEST_NULL);
    token(1);
    for (flag = 0; !flag;) MPI_Testall(count, requests, &flag, statuses);
    for (int i = 0; i < count; ++i) {
      CHECK_INT(500 + i, got[i]);
      CHECK_INT(i, statuses[i].MPI_TAG);
      CHECK_SAME(MPI_REQUEST_NULL, requests[i]);
    }
  } else if (world_rank == 1) {
    await_token(0);
    for (int i = 0; i < count - 1; ++i) send_one(i);
    token(0);
    await_token(0);
    send_one(count - 1);
  }
}

CASE(testany) {
  if (world_rank == 0) {
    int flag = -1, index = -1;
    MPI_Status status;
    post_receives();
    CHECK_OK(MPI_Testany(count, requests, &index, &flag, &status));
    CHECK_INT(0, flag);
    CHECK_INT(MPI_UNDEFINED, index);
    for (int i = 0; i < count; ++i) {
      token(1);
      for (flag = 0; !flag;) MPI_Testany(count, requests, &index, &flag, &status);
      CHECK_INT(i, index);
      CHECK_INT(i, status.MPI_TAG);
    }
    MPI_Testany(count, requests, &index, &flag, &status);
    CHECK_INT(1, flag);
    CHECK_INT(MPI_UNDEFINED, index);
  } else if (world_rank == 1) {
    for (int i = 0; i < count; ++i) {
      await_token(0);
      send_one(i);
    }
  }
}

CASE(testsome) {
  if (world_rank == 0) {
    int done = -1, indices[count];
    MPI_Status statuses[count];
    post_receives();
    CHECK_OK(MPI_Testsome(count, requests, &done, indices, statuses));
    CHECK_INT(0, done);
    token(1);
    for (int left = count; left > 0; left -= done) {
      MPI_Testsome(count, requests, &done, indices, statuses);
      for (int i = 0; i < done; ++i) CHECK_INT(indices[i], statuses[i].MPI_TAG);
    }
    for (int i = 0; i < count; ++i) CHECK_INT(500 + i, got[i]);
    MPI_Testsome(count, requests, &done, indices, statuses);
    CHECK_INT(MPI_UNDEFINED, done);
  } else if (world_rank == 1) {
    await_token(0);
    for (int i = 0; i < count; ++i) send_one(i);
  }
}

static void check_empty(const MPI_Status* status) {
  int elements = -1, cancelled = -1;
  CHECK_INT(MPI_ANY_SOURCE, status->MPI_SOURCE);
  CHECK_INT(MPI_ANY_TAG, status->MPI_TAG);
  MPI_Get_count(status, MPI_INT, &elements);
  CHECK_INT(0, elements);
  MPI_Test_cancelled(status, &cancelled);
  CHECK_INT(0, cancelled);
}

CASE(null_requests_are_complete_and_empty) {
  MPI_Request request = MPI_REQUEST_NULL, many[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[3];
  int flag = 0, index = 0, done = 0, indices[3];
  CHECK_OK(MPI_Wait(&request, &status));
  check_empty(&status);
  CHECK_OK(MPI_Test(&request, &flag, &status));
  CHECK_INT(1, flag);
  check_empty(&status);
  CHECK_OK(MPI_Waitall(3, many, statuses));
  for (int i = 0; i < 3; ++i) check_empty(&statuses[i]);
  CHECK_OK(MPI_Testall(3, many, &flag, statuses));
  CHECK_INT(1, flag);
  CHECK_OK(MPI_Waitany(3, many, &index, &status));
  CHECK_INT(MPI_UNDEFINED, index);
  check_empty(&status);
  CHECK_OK(MPI_Testany(3, many, &index, &flag, &status));
  CHECK_INT(1, flag);
  CHECK_INT(MPI_UNDEFINED, index);
  CHECK_OK(MPI_Waitsome(3, many, &done, indices, statuses));
  CHECK_INT(MPI_UNDEFINED, done);
  CHECK_OK(MPI_Testsome(3, many, &done, indices, statuses));
  CHECK_INT(MPI_UNDEFINED, done);
}

CASE(no_requests_at_all) {
  int flag = 0, index = 0, done = 0;
  CHECK_OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  CHECK_OK(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
  CHECK_INT(1, flag);
  CHECK_OK(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE));
  CHECK_INT(MPI_UNDEFINED, index);
  CHECK_OK(MPI_Waitsome(0, NULL, &done, NULL, MPI_STATUSES_IGNORE));
  CHECK_INT(MPI_UNDEFINED, done);
}

CASE(inactive_persistent_requests_are_complete_and_empty) {
  int value = 0, flag = 0, index = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  CHECK_OK(MPI_Wait(&request, &status));
  CHECK(request != MPI_REQUEST_NULL);
  check_empty(&status);
  CHECK_OK(MPI_Test(&request, &flag, &status));
  CHECK_INT(1, flag);
  check_empty(&status);
  CHECK_OK(MPI_Waitany(1, &request, &index, &status));
  CHECK_INT(MPI_UNDEFINED, index);
  MPI_Request_free(&request);
}

CASE(waitall_of_a_mixture) {
  if (world_rank < 2) {
    int in = -1, self_in = -1, out = world_rank;
    MPI_Request mixed[6] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                            MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[6];
    MPI_Irecv(&in, 1, MPI_INT, 1 - world_rank, 7, MPI_COMM_WORLD, &mixed[1]);
    MPI_Isend(&out, 1, MPI_INT, 1 - world_rank, 7, MPI_COMM_WORLD, &mixed[2]);
    MPI_Irecv(&self_in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &mixed[3]);
    MPI_Isend(&out, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &mixed[5]);
    MPI_Waitall(6, mixed, statuses);
    CHECK_INT(1 - world_rank, in);
    CHECK_INT(world_rank, self_in);
    check_empty(&statuses[0]);
    check_empty(&statuses[4]);
    CHECK_INT(7, statuses[1].MPI_TAG);
    CHECK_INT(0, statuses[3].MPI_SOURCE);
  }
}

CASE(waitany_skips_null_requests) {
  int value = 4, in = -1, index = -1;
  MPI_Request some[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &some[2]);
  MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Waitany(4, some, &index, MPI_STATUS_IGNORE);
  CHECK_INT(2, index);
  CHECK_INT(4, in);
}

CASE(request_get_status_leaves_the_request) {
  if (world_rank == 0) {
    int value = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
    CHECK_OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(0, flag);
    token(1);
    for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
    CHECK_INT(2, status.MPI_TAG);
    CHECK_INT(1, status.MPI_SOURCE);
    CHECK_INT(502, value);
    MPI_Request_get_status(request, &flag, &status);
    CHECK_INT(1, flag);
    memset(&status, 0, sizeof status);
    MPI_Wait(&request, &status);
    CHECK_INT(2, status.MPI_TAG);
    CHECK_SAME(MPI_REQUEST_NULL, request);
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
    CHECK_INT(1, flag);
    check_empty(&status);
  } else if (world_rank == 1) {
    await_token(0);
    send_one(2);
  }
}

CASE(request_free_of_a_send) {
  if (world_rank == 0) {
    static int value = 12;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    CHECK_OK(MPI_Request_free(&request));
    CHECK_SAME(MPI_REQUEST_NULL, request);
    await_token(1);
  } else if (world_rank == 1) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(12, value);
    token(0);
  }
}

CASE(request_free_of_a_receive) {
  // Sound as long as something tells that the message has come: the second message of the same pair does.
  if (world_rank == 0) {
    static int value = -1;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
    CHECK_OK(MPI_Request_free(&request));
    token(1);
    int second = -1;
    MPI_Recv(&second, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(504, value);
    CHECK_INT(777, second);
  } else if (world_rank == 1) {
    int second = 777;
    await_token(0);
    send_one(4);
    MPI_Send(&second, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  }
}
