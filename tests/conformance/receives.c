// Receiving: which message a receive takes, in which order, and what its status says.
// ranks: 4
#include "conformance.h"

CASE(tags_choose_the_message) {
  if (world_rank == 0) {
    for (int tag = 0; tag < 5; ++tag) {
      int value = 100 + tag;
      MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
  } else if (world_rank == 1) {
    for (int tag = 4; tag >= 0; --tag) {
      int got = -1;
      MPI_Recv(&got, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(100 + tag, got);
      DIGEST(&got, sizeof got);
    }
  }
}

CASE(any_tag_takes_the_oldest) {
  if (world_rank == 0) {
    for (int tag = 9; tag > 4; --tag) MPI_Send(&tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
  } else if (world_rank == 1) {
    for (int tag = 9; tag > 4; --tag) {
      int got = -1;
      MPI_Status status;
      MPI_Recv(&got, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK_INT(tag, got);
      CHECK_INT(tag, status.MPI_TAG);
      CHECK_INT(0, status.MPI_SOURCE);
    }
  }
}

CASE(any_source_with_a_tag_per_sender) {
  if (world_rank == 0) {
    for (int tag = world_size - 1; tag > 0; --tag) {
      int got = -1;
      MPI_Status status;
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      CHECK_INT(tag * 11, got);
      CHECK_INT(tag, status.MPI_SOURCE);
    }
  } else {
    int value = world_rank * 11;
    MPI_Send(&value, 1, MPI_INT, 0, world_rank, MPI_COMM_WORLD);
  }
}

CASE(any_source_takes_each_message_once) {
  enum { each = 20 };
  if (world_rank == 0) {
    int next[8] = {0};
    for (int m = 0; m < each * (world_size - 1); ++m) {
      int got = -1;
      MPI_Status status;
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < world_size);
      CHECK_INT(status.MPI_SOURCE * 1000 + next[status.MPI_SOURCE], got);  // in order from each sender
      CHECK_INT(next[status.MPI_SOURCE], status.MPI_TAG);
      ++next[status.MPI_SOURCE];
    }
    for (int r = 1; r < world_size; ++r) CHECK_INT(each, next[r]);
  } else {
    for (int m = 0; m < each; ++m) {
      int value = world_rank * 1000 + m;
      MPI_Send(&value, 1, MPI_INT, 0, m, MPI_COMM_WORLD);
    }
  }
}

CASE(wildcards_in_a_forced_order) {
  // A token makes the order of the sends known, so that the wildcard receives have one right answer.
  if (world_rank == 0) {
    for (int r = 1; r < world_size; ++r) {
      int got = -1;
      MPI_Status status;
      MPI_Send(NULL, 0, MPI_INT, r, 1, MPI_COMM_WORLD);
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK_INT(r, status.MPI_SOURCE);
      CHECK_INT(r + 50, status.MPI_TAG);
      CHECK_INT(r * 7, got);
    }
  } else {
    const int value = world_rank * 7;
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, world_rank + 50, MPI_COMM_WORLD);
  }
}

CASE(posted_receives_are_filled_in_order) {
  // Two wildcards and one named receive wait: the oldest that fits takes the message.
  if (world_rank == 1) {
    int got[3] = {-1, -1, -1};
    MPI_Request requests[3];
    MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&got[2], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK_INT(71, got[0]);
    CHECK_INT(70, got[1]);
    CHECK_INT(72, got[2]);
  } else if (world_rank == 0) {
    int values[3] = {70, 71, 72};
    MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&values[0], 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Send(&values[1], 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Send(&values[2], 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  }
}

CASE(communicators_do_not_mix) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  if (world_rank == 0) {
    int first = 1, second = 2;
    MPI_Send(&first, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    MPI_Send(&second, 1, MPI_INT, 1, 6, other);
  } else if (world_rank == 1) {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
    CHECK_INT(2, got);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(1, got);
  }
  MPI_Comm_free(&other);
}

CASE(ranks_are_those_of_the_communicator) {
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
  int rank, got = -1;
  MPI_Status status;
  MPI_Comm_rank(reversed, &rank);
  CHECK_INT(world_size - 1 - world_rank, rank);
  const int next = (rank + 1) % world_size, previous = (rank + world_size - 1) % world_size;
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, reversed, &request);
  MPI_Send(&rank, 1, MPI_INT, next, 2, reversed);
  MPI_Wait(&request, &status);
  CHECK_INT(previous, got);
  CHECK_INT(previous, status.MPI_SOURCE);
  MPI_Comm_free(&reversed);
}

CASE(proc_null_receives_nothing) {
  int untouched = 42, count = -1;
  MPI_Status status;
  CHECK_OK(MPI_Send(&untouched, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD));
  CHECK_OK(MPI_Recv(&untouched, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &status));
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_INT(42, untouched);
  CHECK_INT(MPI_PROC_NULL, status.MPI_SOURCE);
  CHECK_INT(MPI_ANY_TAG, status.MPI_TAG);
  CHECK_INT(0, count);
}

CASE(proc_null_nonblocking_and_probe) {
  int untouched = 42, count = -1, flag = 0;
  MPI_Status statuses[2], status;
  MPI_Request requests[2];
  MPI_Irecv(&untouched, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&untouched, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &requests[1]);
  // The source and tag that MPI requires here, MPI_PROC_NULL and MPI_ANY_TAG, are not those that MPICH 4.0
  // gives.
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  CHECK_INT(0, count);
  MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  CHECK_INT(MPI_PROC_NULL, status.MPI_SOURCE);
  MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  CHECK_INT(1, flag);
  CHECK_INT(MPI_ANY_TAG, status.MPI_TAG);
}

CASE(zero_counts_carry_their_envelope) {
  if (world_rank == 0) {
    MPI_Send(NULL, 0, MPI_DOUBLE, 1, 17, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 18, MPI_COMM_WORLD);
  } else if (world_rank == 1) {
    int got = 5, count = -1;
    MPI_Status status;
    MPI_Recv(&got, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_INT(5, got);
    CHECK_INT(17, status.MPI_TAG);
    CHECK_INT(0, count);
    MPI_Recv(NULL, 0, MPI_INT, 0, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

CASE(shorter_messages_fill_part_of_the_buffer) {
  if (world_rank == 0) {
    int values[10];
    fill(values, 10, 19);
    MPI_Send(values, 10, MPI_INT, 1, 19, MPI_COMM_WORLD);
  } else if (world_rank == 1) {
    int got[20], count = -1;
    for (int i = 0; i < 20; ++i) got[i] = -7;
    MPI_Status status;
    MPI_Recv(got, 20, MPI_INT, 0, 19, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_INT(10, count);
    CHECK_INT(-1, first_difference(got, 10, 19));
    for (int i = 10; i < 20; ++i) CHECK_INT(-7, got[i]);
  }
}

CASE(large_messages_beyond_every_eager_limit) {
  for (int count = 1000; count <= 1000000; count *= 10) {
    int* values = (int*)malloc((size_t)count * sizeof(int));
    if (world_rank % 2 == 0) {
      fill(values, count, world_rank + count);
      MPI_Send(values, count, MPI_INT, world_rank + 1, 20, MPI_COMM_WORLD);
    } else {
      MPI_Status status;
      int received = 0;
      MPI_Recv(values, count, MPI_INT, world_rank - 1, 20, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &received);
      CHECK_INT(count, received);
      CHECK_INT(-1, first_difference(values, count, world_rank - 1 + count));
      DIGEST(values, (size_t)count * sizeof(int));
    }
    free(values);
  }
}

CASE(large_unexpected_messages) {
  enum { count = 200000 };
  int* values = (int*)malloc(count * sizeof(int));
  if (world_rank == 0) {
    MPI_Request request;
    fill(values, count, 21);
    MPI_Isend(values, count, MPI_INT, 1, 21, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_INT, 1, 22, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (world_rank == 1) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(values, count, MPI_INT, 0, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(-1, first_difference(values, count, 21));
  }
  free(values);
}

CASE(self_messages) {
  int value = world_rank + 5, got = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Isend(&value, 1, MPI_INT, world_rank, 23, MPI_COMM_WORLD, &request);
  MPI_Recv(&got, 1, MPI_INT, world_rank, 23, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(world_rank + 5, got);
  CHECK_INT(world_rank, status.MPI_SOURCE);

  got = -1;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Ssend(&value, 1, MPI_INT, world_rank, 24, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  CHECK_INT(world_rank + 5, got);
  CHECK_INT(24, status.MPI_TAG);
}

CASE(self_messages_on_comm_self) {
  int value = world_rank + 6, got = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  CHECK_INT(world_rank + 6, got);
  CHECK_INT(0, status.MPI_SOURCE);
}

CASE(many_outstanding_receives) {
  enum { messages = 2000 };
  static int got[messages], values[messages];
  static MPI_Request requests[2 * messages];
  const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  for (int m = 0; m < messages; ++m) {
    MPI_Irecv(&got[m], 1, MPI_INT, previous, m, MPI_COMM_WORLD, &requests[m]);
  }
  fill(values, messages, world_rank);
  for (int m = messages - 1; m >= 0; --m) {
    MPI_Isend(&values[m], 1, MPI_INT, next, m, MPI_COMM_WORLD, &requests[messages + m]);
  }
  MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
  CHECK_INT(-1, first_difference(got, messages, previous));
  DIGEST(got, sizeof got);
}

CASE(greatest_tag) {
  int *upper = NULL, found = 0, got = -1, value = 3;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &found);
  CHECK_INT(1, found);
  CHECK(*upper >= 32767);
  MPI_Status status;
  MPI_Sendrecv(&value, 1, MPI_INT, world_rank ^ 1, *upper, &got, 1, MPI_INT, world_rank ^ 1, *upper,
               MPI_COMM_WORLD, &status);
  CHECK_INT(3, got);
  CHECK_INT(*upper, status.MPI_TAG);
}
