// What collectives are given wrongly: MPI says so on the calling rank, before anything is communicated.
// ranks: 2
// not natively from MPICH 4.2 on: an_alltoall_that_sends_more_than_it_receives_at_one_rank (MPI_ERR_IN_STATUS)
// not natively from MPICH 4.2 on: an_alltoallv_that_sends_more_than_it_receives_at_one_rank (MPI_ERR_IN_STATUS)
// not natively from MPICH 4.2 on: gathers_and_scatters_of_more_than_there_is_room_for (MPI_Scatter hears nothing)
// not natively from MPICH 4.2 on: reductions_of_fewer_than_the_others_give (MPI_Scan ends the run)
#include "conformance.h"

static MPI_Comm returning(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

CASE(roots_out_of_range) {
  MPI_Comm comm = returning();
  int value = 0, all[2];
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, 2, comm));
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, -1, comm));
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Reduce(&value, all, 1, MPI_INT, MPI_SUM, 2, comm));
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 7, comm));
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, -5, comm));
  MPI_Comm_free(&comm);
}

CASE(negative_counts) {
  MPI_Comm comm = returning();
  int value = 0, all[4], counts[2] = {1, -1}, places[2] = {0, 1};
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Bcast(&value, -1, MPI_INT, 0, comm));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Allgather(&value, -1, MPI_INT, all, 1, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Alltoall(all, 1, MPI_INT, all + 2, -1, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Allgatherv(&value, 1, MPI_INT, all, counts, places, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Reduce_scatter(all, &value, counts, MPI_INT, MPI_SUM, comm));
  MPI_Comm_free(&comm);
}

CASE(datatypes_that_are_none_or_not_committed) {
  MPI_Comm comm = returning();
  MPI_Datatype raw;
  int value[2] = {0, 0}, all[8];
  MPI_Type_contiguous(2, MPI_INT, &raw);
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Bcast(value, 1, MPI_DATATYPE_NULL, 0, comm));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Bcast(value, 1, raw, 0, comm));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Allgather(value, 1, raw, all, 2, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Allgather(value, 2, MPI_INT, all, 1, raw, comm));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Alltoall(all, 1, raw, all + 4, 1, raw, comm));
  MPI_Type_free(&raw);
  MPI_Comm_free(&comm);
}

CASE(buffers_that_are_null) {
  MPI_Comm comm = returning();
  int value = 0, all[2];
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Bcast(NULL, 1, MPI_INT, 0, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allreduce(&value, NULL, 1, MPI_INT, MPI_SUM, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allreduce(NULL, &value, 1, MPI_INT, MPI_SUM, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allgather(NULL, 1, MPI_INT, all, 1, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allgather(&value, 1, MPI_INT, NULL, 1, MPI_INT, comm));
  MPI_Comm_free(&comm);
}

CASE(operators_that_do_not_fit_the_datatype) {
  MPI_Comm comm = returning();
  double in = 1, out = 0;
  char letter = 'a', letters[2];
  CHECK_CLASS(MPI_ERR_OP, MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_OP_NULL, comm));
  CHECK_CLASS(MPI_ERR_OP, MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, comm));
  CHECK_CLASS(MPI_ERR_OP, MPI_Scan(&in, &out, 1, MPI_DOUBLE, MPI_BXOR, comm));
  CHECK_CLASS(MPI_ERR_OP, MPI_Reduce_scatter_block(letters, &letter, 1, MPI_DOUBLE_INT, MPI_SUM, comm));
  CHECK_CLASS(MPI_ERR_OP, MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_MAXLOC, 0, comm));
  MPI_Comm_free(&comm);
}

CASE(aliased_buffers) {
  MPI_Comm comm = returning();
  int all[4] = {0, 0, 0, 0}, counts[2] = {1, 1}, places[2] = {0, 1};
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allreduce(all, all, 1, MPI_INT, MPI_SUM, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Scan(all, all, 1, MPI_INT, MPI_SUM, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Exscan(all, all, 1, MPI_INT, MPI_SUM, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Alltoall(all, 1, MPI_INT, all, 1, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allgather(all + world_rank, 1, MPI_INT, all, 1, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_BUFFER,
              MPI_Allgatherv(all + world_rank, 1, MPI_INT, all, counts, places, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_BUFFER,
              MPI_Alltoallv(all, counts, places, MPI_INT, all, counts, places, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Reduce_scatter(all, all, counts, MPI_INT, MPI_SUM, comm));
  if (world_rank == 0) {  // what is wrong at the root alone would leave the others waiting
    MPI_Comm alone;
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_ERR_BUFFER, MPI_Gather(all, 1, MPI_INT, all, 1, MPI_INT, 0, alone));
    CHECK_CLASS(MPI_ERR_BUFFER, MPI_Scatter(all, 1, MPI_INT, all, 1, MPI_INT, 0, alone));
    CHECK_CLASS(MPI_ERR_BUFFER, MPI_Reduce(all, all, 1, MPI_INT, MPI_SUM, 0, alone));
    MPI_Comm_free(&alone);
  }
  MPI_Comm_free(&comm);
}

CASE(in_place_on_the_wrong_side) {
  MPI_Comm comm = returning();
  int value = 0, all[2] = {0, 0};
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allreduce(&value, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allgather(&value, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Alltoall(all, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Scan(&value, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
  MPI_Comm_free(&comm);
}

CASE(communicators_that_are_none) {
  int value = 0, all[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Allreduce(&value, all, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, (MPI_Comm*)all));
}

CASE(the_same_of_nonblocking_and_persistent_forms) {
  MPI_Comm comm = returning();
  int value = 0, all[2];
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Ibcast(&value, 1, MPI_INT, 2, comm, &request));
  CHECK_CLASS(MPI_ERR_OP, MPI_Iallreduce(&value, all, 1, MPI_INT, MPI_OP_NULL, comm, &request));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Iallreduce(all, all, 1, MPI_INT, MPI_SUM, comm, &request));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Igather(&value, 1, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, comm, &request));
  MPI_Comm_free(&comm);
}

CASE(what_is_wrong_once_is_right_the_next_time) {
  MPI_Comm comm = returning();
  int value = world_rank + 1, sum = -1;
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Allreduce(&value, NULL, 1, MPI_INT, MPI_SUM, comm));
  CHECK_OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK_INT(3, sum);
  MPI_Comm_free(&comm);
}

// To Open MPI a handle is an address, and it looks there.
#ifndef OPEN_MPI
CASE(requests_that_are_none) {
  MPI_Request request = MPI_REQUEST_NULL, stale = (MPI_Request)0x10ffffff;
  MPI_Status status;
  int flag = 0;
  CHECK_OK(MPI_Wait(&request, &status));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Wait(&stale, &status));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Test(&stale, &flag, &status));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Request_free(&request));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Waitall(-1, &request, &status));
}
#endif

// What only shows when the data come. Which ranks hear of it, and as what, is MPICH's to say; those are
// checked here that hear of it natively.

CASE(a_root_that_broadcasts_fewer_than_expected) {
  MPI_Comm comm = returning();
  int values[2] = {world_rank, world_rank};
  const int code = MPI_Bcast(values, world_rank == 0 ? 1 : 2, MPI_INT, 0, comm);
  CHECK_CLASS(world_rank == 0 ? MPI_SUCCESS : MPI_ERR_OTHER, code);
  MPI_Comm_free(&comm);
}

CASE(a_root_that_broadcasts_more_than_expected) {
  MPI_Comm comm = returning();
  int values[2] = {world_rank, 7};
  const int code = MPI_Bcast(values, world_rank == 0 ? 2 : 1, MPI_INT, 0, comm);
  CHECK_CLASS(world_rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE, code);
  CHECK_INT(7, values[1]);
  MPI_Comm_free(&comm);
}

CASE(a_large_broadcast_of_fewer_than_expected) {
  MPI_Comm comm = returning();
  int* values = (int*)calloc(100000, sizeof(int));
  const int code = MPI_Bcast(values, world_rank == 0 ? 10000 : 100000, MPI_INT, 0, comm);
  CHECK_CLASS(world_rank == 0 ? MPI_SUCCESS : MPI_ERR_OTHER, code);
  free(values);
  MPI_Comm_free(&comm);
}

CASE(an_alltoall_that_sends_more_than_it_receives_at_one_rank) {
  MPI_Comm comm = returning();
  int out[4] = {0}, in[4] = {0};
  CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Alltoall(out, world_rank == 0 ? 2 : 1, MPI_INT, in, 1, MPI_INT, comm));
  MPI_Comm_free(&comm);
}

CASE(an_alltoallv_that_sends_more_than_it_receives_at_one_rank) {
  MPI_Comm comm = returning();
  int out[4] = {0}, in[4] = {0}, places[2] = {0, 2}, ones[2] = {1, 1}, counts[2] = {1, 1};
  if (world_rank == 0) counts[0] = counts[1] = 2;
  CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Alltoallv(out, counts, places, MPI_INT, in, ones, places, MPI_INT, comm));
  MPI_Comm_free(&comm);
}

CASE(gathers_and_scatters_of_more_than_there_is_room_for) {
  MPI_Comm comm = returning();
  int out[4] = {0}, in[4] = {0};
  int code = MPI_Gather(out, world_rank == 0 ? 1 : 2, MPI_INT, in, 1, MPI_INT, 0, comm);
  CHECK_CLASS(world_rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS, code);
  CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Scatter(out, 2, MPI_INT, in, 1, MPI_INT, 0, comm));
  MPI_Comm_free(&comm);
}

CASE(reductions_of_fewer_than_the_others_give) {
  enum { most = 100000 };
  MPI_Comm comm = returning();
  int *out = (int*)calloc(2 * most, sizeof(int)), *in = (int*)calloc(2 * most, sizeof(int));
  const int few = world_rank == 0, small = few ? 1 : 2;
  const int codes[] = {MPI_Reduce(out, in, small, MPI_INT, MPI_SUM, 0, comm),
                       MPI_Scan(out, in, 3 - small, MPI_INT, MPI_SUM, comm),
                       MPI_Exscan(out, in, 3 - small, MPI_INT, MPI_SUM, comm),
                       MPI_Reduce_scatter_block(out, in, small, MPI_INT, MPI_SUM, comm),
                       MPI_Allreduce(out, in, small, MPI_INT, MPI_SUM, comm),
                       MPI_Allreduce(out, in, few ? 100 : most, MPI_INT, MPI_SUM, comm)};
  CHECK_CLASS(few ? MPI_ERR_TRUNCATE : MPI_SUCCESS, codes[0]);
  for (int i = 1; i < 3; ++i)
    if (!few) CHECK_CLASS(MPI_ERR_TRUNCATE, codes[i]);
  if (few) CHECK_CLASS(MPI_ERR_TRUNCATE, codes[3]);
  if (few) CHECK_CLASS(MPI_ERR_TRUNCATE, codes[5]);  // MPICH takes no notice in small ones
  free(out);
  free(in);
  MPI_Comm_free(&comm);
}

CASE(after_counts_that_do_not_fit_the_next_ones_do) {
  MPI_Comm comm = returning();
  int values[2] = {world_rank + 1, 0}, sum = 0;
  MPI_Bcast(values, world_rank == 0 ? 1 : 2, MPI_INT, 0, comm);
  CHECK_OK(MPI_Allreduce(&values[0], &sum, 1, MPI_INT, MPI_SUM, comm));
  MPI_Comm_free(&comm);
}

CASE(a_communicator_that_has_been_freed) {
  int value = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm comm = returning(), freed = comm;
  MPI_Comm_free(&comm);
  CHECK_CLASS(MPI_ERR_COMM, MPI_Barrier(freed));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Bcast(&value, 1, MPI_INT, 0, freed));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, freed));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Comm_dup(freed, &comm));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Comm_free(&freed));
}
