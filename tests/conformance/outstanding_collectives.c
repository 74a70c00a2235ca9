// ranks: 4
// Several collectives under way at once, beside point-to-point messages, on one and on several communicators.
#include "conformance.h"

CASE(many_ibarriers_completed_backwards) {
  MPI_Request requests[12];
  for (int i = 0; i < 12; ++i) MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]);
  for (int i = 11; i >= 0; --i) CHECK_OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
}

CASE(different_kinds_in_one_waitall) {
  MPI_Request requests[4];
  int broadcast = world_rank == 2 ? 77 : 0, all[8], parts[8], swapped[8];
  const int mine = world_rank + 1;
  int sum = 0;
  for (int r = 0; r < world_size; ++r) parts[r] = 10 * world_rank + r;
  MPI_Ibcast(&broadcast, 1, MPI_INT, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
  MPI_Ialltoall(parts, 1, MPI_INT, swapped, 1, MPI_INT, MPI_COMM_WORLD, &requests[3]);
  CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  CHECK_INT(77, broadcast);
  CHECK_INT(10, sum);
  for (int r = 0; r < world_size; ++r) {
    CHECK_INT(r + 1, all[r]);
    CHECK_INT(10 * r + world_rank, swapped[r]);
  }
  for (int i = 0; i < 4; ++i) CHECK_SAME(MPI_REQUEST_NULL, requests[i]);
}

CASE(waitany_finds_each_once) {
  enum { count = 6 };
  MPI_Request requests[count];
  int values[count], seen[count] = {0};
  for (int i = 0; i < count; ++i) {
    values[i] = world_rank == i % world_size ? 50 + i : -1;
    MPI_Ibcast(&values[i], 1, MPI_INT, i % world_size, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < count; ++i) {
    int index = -1;
    MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index >= 0 && index < count);
    if (index < 0 || index >= count) continue;
    ++seen[index];
    CHECK_INT(50 + index, values[index]);
  }
  for (int i = 0; i < count; ++i) CHECK_INT(1, seen[i]);
  int index = 0;
  MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
  CHECK_INT(MPI_UNDEFINED, index);
}

CASE(waitsome_and_testall_until_all_are_done) {
  enum { count = 8 };
  MPI_Request requests[count];
  int sums[count], mine[count];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) {
      mine[i] = world_rank * i;
      MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
    if (round == 0) {
      for (int left = count; left > 0;) {
        int done = 0, indices[count];
        MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        CHECK(done > 0);
        for (int k = 0; k < done; ++k) CHECK_INT(6 * indices[k], sums[indices[k]]);
        left -= done;
        if (done <= 0) break;
      }
    } else {
      for (int flag = 0; !flag;) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < count; ++i) CHECK_INT(6 * i, sums[i]);
  }
}

CASE(collectives_and_messages_in_one_waitall) {
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  enum { large = 60000 };
  int* out = malloc(sizeof(int) * large);
  int* in = malloc(sizeof(int) * large);
  int sum = 0;
  const int mine = world_rank;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  fill(out, large, world_rank);
  MPI_Irecv(in, large, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, large, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, statuses);
  CHECK_INT(left, statuses[0].MPI_SOURCE);
  CHECK_INT(3, statuses[0].MPI_TAG);
  CHECK_INT(-1, first_difference(in, large, left));
  CHECK_INT(6, sum);
  free(out);
  free(in);
}

CASE(messages_cross_a_pending_collective) {
  // Rank 0 starts a broadcast, then talks with everyone, and only then do the others join the broadcast.
  int value = world_rank == 0 ? 4242 : 0, token = world_rank;
  MPI_Request request;
  if (world_rank == 0) {
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    for (int r = 1; r < world_size; ++r) {
      MPI_Send(&r, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_INT, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(10 * r, token);
    }
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token *= 10;
    MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(4242, value);
}

CASE(wildcards_do_not_catch_collective_traffic) {
  int got = -1, sum = 0;
  const int mine = 1;
  MPI_Request receive, reduce;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &reduce);
  MPI_Wait(&reduce, MPI_STATUS_IGNORE);
  CHECK_INT(world_size, sum);
  CHECK_INT(-1, got);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&world_rank, 1, MPI_INT, (world_rank + 1) % world_size, 9, MPI_COMM_WORLD);
  MPI_Wait(&receive, &status);
  CHECK_INT((world_rank + world_size - 1) % world_size, got);
  CHECK_INT(9, status.MPI_TAG);
}

CASE(blocking_collectives_while_others_are_pending) {
  int early[4] = {0}, late = world_rank;
  MPI_Request request;
  MPI_Iallgather(&world_rank, 1, MPI_INT, early, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Bcast(&late, 1, MPI_INT, 3, MPI_COMM_WORLD);
  CHECK_INT(3, late);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int r = 0; r < world_size; ++r) CHECK_INT(r, early[r]);
}

CASE(opposite_orders_on_two_communicators) {
  // Even and odd ranks start the two broadcasts in opposite orders: legal, as the communicators differ.
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  int a = world_rank == 0 ? 5 : 0, b = world_rank == 1 ? 6 : 0;
  MPI_Request requests[2];
  if (world_rank % 2 == 0) {
    MPI_Ibcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(&b, 1, MPI_INT, 1, other, &requests[1]);
  } else {
    MPI_Ibcast(&b, 1, MPI_INT, 1, other, &requests[1]);
    MPI_Ibcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_INT(5, a);
  CHECK_INT(6, b);
  MPI_Comm_free(&other);
}

CASE(fifty_iallreduces_in_flight) {
  enum { count = 50 };
  MPI_Request requests[count];
  double mine[count], sums[count];
  for (int i = 0; i < count; ++i) {
    mine[i] = world_rank + 0.25 * i;
    MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) CHECK(sums[i] == 6.0 + i);
  DIGEST(sums, sizeof sums);
}

CASE(get_status_leaves_the_request_alone) {
  MPI_Request request;
  int value = world_rank == 1 ? 8 : 0, done = 0;
  MPI_Ibcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &request);
  while (!done) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_INT(8, value);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_SAME(MPI_REQUEST_NULL, request);
}
