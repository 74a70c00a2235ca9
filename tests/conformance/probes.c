// Looking at messages before receiving them, and taking them out of the order of matching.
// ranks: 4
#include "conformance.h"

static void token(int to) {
  MPI_Send(NULL, 0, MPI_INT, to, 99, MPI_COMM_WORLD);
}
static void await_token(int from) {
  MPI_Recv(NULL, 0, MPI_INT, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_words(int count, int to, int tag) {
  int* values = (int*)malloc((size_t)(count + 1) * sizeof(int));
  fill(values, count, tag);
  MPI_Send(values, count, MPI_INT, to, tag, MPI_COMM_WORLD);
  free(values);
}

static int count_of(const MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, MPI_INT, &count);
  return count;
}

CASE(probe_tells_the_size) {
  if (world_rank == 0) {
    send_words(37, 1, 1);
  } else if (world_rank == 1) {
    MPI_Status status;
    CHECK_OK(MPI_Probe(0, 1, MPI_COMM_WORLD, &status));
    CHECK_INT(37, count_of(&status));
    CHECK_INT(0, status.MPI_SOURCE);
    CHECK_INT(1, status.MPI_TAG);
    int got[37];
    MPI_Recv(got, 37, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(-1, first_difference(got, 37, 1));
    DIGEST(got, sizeof got);
  }
}

CASE(probe_twice_sees_the_same_message) {
  if (world_rank == 0) {
    send_words(3, 1, 2);
    send_words(5, 1, 2);
  } else if (world_rank == 1) {
    int got[5];
    for (int count = 3; count <= 5; count += 2) {
      MPI_Status first, second;
      MPI_Probe(0, 2, MPI_COMM_WORLD, &first);
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &second);
      CHECK_INT(count, count_of(&first));
      CHECK_INT(count, count_of(&second));
      MPI_Recv(got, 5, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

CASE(probe_with_wildcards) {
  if (world_rank == 0) {
    for (int r = 1; r < world_size; ++r) {
      MPI_Status status;
      token(r);
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK_INT(r, status.MPI_SOURCE);
      CHECK_INT(r * 10, status.MPI_TAG);
      CHECK_INT(r, count_of(&status));
      int got[8];
      MPI_Recv(got, 8, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(-1, first_difference(got, r, r * 10));
    }
  } else {
    await_token(0);
    send_words(world_rank, 0, world_rank * 10);
  }
}

CASE(probe_of_a_large_message) {
  enum { count = 300000 };
  if (world_rank == 0) {
    send_words(count, 1, 3);
  } else if (world_rank == 1) {
    MPI_Status status;
    MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK_INT(count, count_of(&status));
    int* got = (int*)malloc(count * sizeof(int));
    MPI_Recv(got, count, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(-1, first_difference(got, count, 3));
    free(got);
  }
}

CASE(iprobe_fails_then_succeeds) {
  if (world_rank == 0) {
    int flag = -1, got[4];
    MPI_Status status;
    for (int i = 0; i < 10; ++i) {
      CHECK_OK(MPI_Iprobe(1, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
      CHECK_INT(0, flag);
    }
    token(1);
    for (flag = 0; !flag;) MPI_Iprobe(1, 4, MPI_COMM_WORLD, &flag, &status);
    CHECK_INT(4, count_of(&status));
    CHECK_INT(4, status.MPI_TAG);
    MPI_Iprobe(1, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // another tag has not come
    CHECK_INT(0, flag);
    MPI_Recv(got, 4, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(1, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK_INT(0, flag);
  } else if (world_rank == 1) {
    await_token(0);
    send_words(4, 0, 4);
  }
}

CASE(probe_in_another_communicator_sees_nothing) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  if (world_rank == 0) {
    send_words(2, 1, 5);
  } else if (world_rank == 1) {
    int flag = -1, got[2];
    MPI_Probe(0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE);
    CHECK_INT(0, flag);
    MPI_Recv(got, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&other);
}

CASE(mprobe_then_mrecv) {
  if (world_rank == 0) {
    send_words(11, 1, 6);
  } else if (world_rank == 1) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int got[11];
    CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
    CHECK(message != MPI_MESSAGE_NULL);
    CHECK_INT(11, count_of(&status));
    CHECK_INT(6, status.MPI_TAG);
    CHECK_OK(MPI_Mrecv(got, 11, MPI_INT, &message, &status));
    CHECK_SAME(MPI_MESSAGE_NULL, message);
    CHECK_INT(11, count_of(&status));
    CHECK_INT(0, status.MPI_SOURCE);
    CHECK_INT(-1, first_difference(got, 11, 6));
    DIGEST(got, sizeof got);
  }
}

CASE(matched_messages_are_received_out_of_order) {
  if (world_rank == 0) {
    for (int m = 0; m < 3; ++m) send_words(m + 1, 1, 7);
    send_words(4, 1, 7);
  } else if (world_rank == 1) {
    MPI_Message messages[3];
    MPI_Status status;
    int got[4];
    for (int m = 0; m < 3; ++m) {
      MPI_Mprobe(0, 7, MPI_COMM_WORLD, &messages[m], &status);
      CHECK_INT(m + 1, count_of(&status));
    }
    // An ordinary receive gets the fourth, for the first three are taken.
    MPI_Recv(got, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, &status);
    CHECK_INT(4, count_of(&status));
    for (int m = 2; m >= 0; --m) {
      MPI_Mrecv(got, 4, MPI_INT, &messages[m], &status);
      CHECK_INT(m + 1, count_of(&status));
      CHECK_INT(7, status.MPI_TAG);
      CHECK_INT(-1, first_difference(got, m + 1, 7));
    }
  }
}

CASE(matched_messages_are_not_probed_again) {
  if (world_rank == 0) {
    send_words(1, 1, 8);
  } else if (world_rank == 1) {
    MPI_Message message;
    int flag = -1, got;
    MPI_Mprobe(0, 8, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Iprobe(0, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK_INT(0, flag);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK_INT(pattern(8, 0), got);
  }
}

CASE(improbe_then_imrecv) {
  if (world_rank == 0) {
    int flag = -1, got[6];
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Improbe(1, 9, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
    CHECK_INT(0, flag);
    token(1);
    for (flag = 0; !flag;) MPI_Improbe(1, 9, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK_INT(6, count_of(&status));
    CHECK_OK(MPI_Imrecv(got, 6, MPI_INT, &message, &request));
    CHECK_SAME(MPI_MESSAGE_NULL, message);
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_INT(1, status.MPI_SOURCE);
    CHECK_INT(6, count_of(&status));
    CHECK_INT(-1, first_difference(got, 6, 9));
  } else if (world_rank == 1) {
    await_token(0);
    send_words(6, 0, 9);
  }
}

CASE(several_imrecv_in_one_waitall) {
  enum { count = 3 };
  if (world_rank == 0) {
    int got[count][8];
    MPI_Request requests[count];
    MPI_Status statuses[count];
    for (int i = 0; i < count; ++i) {
      MPI_Message message;
      MPI_Mprobe(i + 1, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Imrecv(got[i], 8, MPI_INT, &message, &requests[i]);
    }
    MPI_Waitall(count, requests, statuses);
    for (int i = 0; i < count; ++i) {
      CHECK_INT(i + 1, statuses[i].MPI_SOURCE);
      CHECK_INT(i + 2, count_of(&statuses[i]));
      CHECK_INT(-1, first_difference(got[i], i + 2, 20 + i));
    }
  } else {
    send_words(world_rank + 1, 0, 19 + world_rank);
  }
}

CASE(mprobe_of_large_and_synchronous_messages) {
  enum { count = 200000 };
  if (world_rank == 0) {
    int* values = (int*)malloc(count * sizeof(int));
    fill(values, count, 10);
    MPI_Ssend(values, count, MPI_INT, 1, 10, MPI_COMM_WORLD);
    MPI_Ssend(values, 1, MPI_INT, 1, 11, MPI_COMM_WORLD);
    free(values);
  } else if (world_rank == 1) {
    int* got = (int*)malloc(count * sizeof(int));
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(0, 10, MPI_COMM_WORLD, &message, &status);
    CHECK_INT(count, count_of(&status));
    MPI_Mrecv(got, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK_INT(-1, first_difference(got, count, 10));
    MPI_Mprobe(0, 11, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK_INT(pattern(10, 0), got[0]);
    free(got);
  }
}

CASE(mprobe_of_proc_null) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Request request;
  int untouched = 5, flag = 0;
  CHECK_OK(MPI_Mprobe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
  CHECK_SAME(MPI_MESSAGE_NO_PROC, message);
  CHECK_INT(MPI_PROC_NULL, status.MPI_SOURCE);
  CHECK_INT(0, count_of(&status));
  CHECK_OK(MPI_Mrecv(&untouched, 1, MPI_INT, &message, &status));
  CHECK_SAME(MPI_MESSAGE_NULL, message);
  CHECK_INT(MPI_PROC_NULL, status.MPI_SOURCE);
  CHECK_OK(MPI_Improbe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
  CHECK_INT(1, flag);
  CHECK_SAME(MPI_MESSAGE_NO_PROC, message);
  CHECK_OK(MPI_Imrecv(&untouched, 1, MPI_INT, &message, &request));
  CHECK_OK(MPI_Wait(&request, &status));
  CHECK_INT(5, untouched);
}

CASE(probe_of_a_message_to_oneself) {
  int value = 31, got = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  MPI_Isend(&value, 1, MPI_INT, 0, 12, MPI_COMM_SELF, &request);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status);
  CHECK_INT(12, status.MPI_TAG);
  MPI_Mprobe(0, 12, MPI_COMM_SELF, &message, &status);
  CHECK_INT(1, count_of(&status));
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(31, got);
}
