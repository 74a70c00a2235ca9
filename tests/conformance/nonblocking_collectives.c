// ranks: 5
// Every nonblocking collective, alone.
#include "layouts.h"

static void wait_for(MPI_Request* request) {
  CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
  CHECK_SAME(MPI_REQUEST_NULL, *request);
}

static void test_until_done(MPI_Request* request) {
  for (int done = 0; !done;) MPI_Test(request, &done, MPI_STATUS_IGNORE);
  CHECK_SAME(MPI_REQUEST_NULL, *request);
}

CASE(ibarrier_by_wait_and_by_test) {
  MPI_Request request;
  CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  wait_for(&request);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  test_until_done(&request);
}

CASE(ibarrier_cannot_end_before_all_came) {
  // The last rank enters only once it has been told that the first found its barrier unfinished.
  MPI_Request request;
  int done = -1;
  if (world_rank == 0) {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    CHECK_INT(0, done);
    MPI_Send(&done, 1, MPI_INT, world_size - 1, 0, MPI_COMM_WORLD);
  } else {
    if (world_rank == world_size - 1) MPI_Recv(&done, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
  }
  wait_for(&request);
}

CASE(ibcast_every_root_and_size) {
  const int counts[] = {0, 1, 700, 5000, 120000};
  int* values = malloc(sizeof(int) * 120000);
  for (int c = 0; c < 5; ++c) {
    const int root = (c * 2 + 1) % world_size;
    if (world_rank == root) fill(values, counts[c], c);
    MPI_Request request;
    CHECK_OK(MPI_Ibcast(values, counts[c], MPI_INT, root, MPI_COMM_WORLD, &request));
    wait_for(&request);
    CHECK_INT(-1, first_difference(values, counts[c], c));
    DIGEST(values, sizeof(int) * (size_t)counts[c]);
  }
  free(values);
}

CASE(igather_and_igatherv) {
  int mine[4], all[32], counts[8], places[8];
  MPI_Request request;
  fill(mine, 4, world_rank);
  MPI_Igather(mine, 4, MPI_INT, all, 4, MPI_INT, 2, MPI_COMM_WORLD, &request);
  wait_for(&request);
  for (int r = 0; r < world_size && world_rank == 2; ++r) CHECK_INT(-1, first_difference(all + 4 * r, 4, r));
  for (int r = 0; r < world_size; ++r) counts[r] = r % 4, places[r] = 5 * (world_size - 1 - r);
  MPI_Igatherv(mine, counts[world_rank], MPI_INT, all, counts, places, MPI_INT, 4, MPI_COMM_WORLD, &request);
  test_until_done(&request);
  for (int r = 0; r < world_size && world_rank == 4; ++r) {
    CHECK_INT(-1, first_difference(all + places[r], counts[r], r));
  }
}

CASE(iscatter_and_iscatterv) {
  double all[16], mine[3] = {0, 0, 0};
  int counts[8], places[8];
  MPI_Request request;
  for (int i = 0; i < 3 * world_size; ++i) all[i] = 0.5 * i;
  MPI_Iscatter(all, 3, MPI_DOUBLE, mine, 3, MPI_DOUBLE, 1, MPI_COMM_WORLD, &request);
  wait_for(&request);
  for (int i = 0; i < 3; ++i) CHECK(mine[i] == 0.5 * (3 * world_rank + i));
  for (int r = 0; r < world_size; ++r) counts[r] = (r + 1) % 4, places[r] = 3 * (world_size - 1 - r);
  MPI_Iscatterv(all, counts, places, MPI_DOUBLE, mine, counts[world_rank], MPI_DOUBLE, 3, MPI_COMM_WORLD,
                &request);
  wait_for(&request);
  for (int i = 0; i < counts[world_rank]; ++i) CHECK(mine[i] == 0.5 * (places[world_rank] + i));
}

CASE(iallgather_and_iallgatherv) {
  int all[40], counts[8], places[8], mine[4];
  MPI_Request request;
  memset(all, 0, sizeof all);
  fill(all + 2 * world_rank, 2, world_rank);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD, &request);
  wait_for(&request);
  for (int r = 0; r < world_size; ++r) CHECK_INT(-1, first_difference(all + 2 * r, 2, r));
  for (int r = 0; r < world_size; ++r) counts[r] = (3 * r) % 4, places[r] = 6 * r;
  fill(mine, 4, world_rank);
  MPI_Iallgatherv(mine, counts[world_rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
  test_until_done(&request);
  for (int r = 0; r < world_size; ++r) CHECK_INT(-1, first_difference(all + places[r], counts[r], r));
}

CASE(ialltoall_of_large_parts) {
  const int count = 20000;
  int* out = malloc(sizeof(int) * (size_t)(count * world_size));
  int* in = malloc(sizeof(int) * (size_t)(count * world_size));
  for (int r = 0; r < world_size; ++r) fill(out + r * count, count, 10 * world_rank + r);
  MPI_Request request;
  CHECK_OK(MPI_Ialltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD, &request));
  wait_for(&request);
  for (int r = 0; r < world_size; ++r) {
    CHECK_INT(-1, first_difference(in + r * count, count, 10 * r + world_rank));
  }
  free(out);
  free(in);
}

CASE(ialltoallv_and_ialltoallw) {
  int out_counts[8], in_counts[8], places[8], bytes[8], out[64], in[64];
  MPI_Datatype types[8];
  for (int r = 0; r < world_size; ++r) {
    out_counts[r] = (2 * world_rank + r) % 4;
    in_counts[r] = (2 * r + world_rank) % 4;
    places[r] = 5 * r;
    bytes[r] = places[r] * (int)sizeof(int);
    types[r] = MPI_INT;
    fill(out + places[r], out_counts[r], 10 * world_rank + r);
  }
  for (int form = 0; form < 2; ++form) {
    MPI_Request request;
    memset(in, 0, sizeof in);
    if (form == 0) {
      MPI_Ialltoallv(out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT, MPI_COMM_WORLD,
                     &request);
    } else {
      MPI_Ialltoallw(out, out_counts, bytes, types, in, in_counts, bytes, types, MPI_COMM_WORLD, &request);
    }
    wait_for(&request);
    for (int r = 0; r < world_size; ++r) {
      CHECK_INT(-1, first_difference(in + places[r], in_counts[r], 10 * r + world_rank));
    }
  }
}

CASE(ireduce_and_iallreduce) {
  MPI_Request request;
  for (int root = 0; root < world_size; ++root) {
    const int mine = world_rank + root;
    int got = -1;
    MPI_Ireduce(&mine, &got, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request);
    wait_for(&request);
    CHECK_INT(world_rank == root ? 10 + 5 * root : -1, got);
  }
  double* values = malloc(sizeof(double) * 30000);
  for (int i = 0; i < 30000; ++i) values[i] = 0.5 * world_rank + i;
  MPI_Iallreduce(MPI_IN_PLACE, values, 30000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  wait_for(&request);
  int wrong = 0;
  for (int i = 0; i < 30000; ++i) wrong += values[i] != 5.0 + 5.0 * i;
  CHECK_INT(0, wrong);
  free(values);
}

CASE(iscan_and_iexscan) {
  MPI_Request request;
  const int mine[2] = {world_rank, 1};
  int got[2] = {-1, -1};
  MPI_Iscan(mine, got, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  wait_for(&request);
  CHECK_INT(world_rank * (world_rank + 1) / 2, got[0]);
  CHECK_INT(world_rank + 1, got[1]);
  got[0] = got[1] = -1;
  MPI_Iexscan(mine, got, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  test_until_done(&request);
  CHECK_INT(world_rank == 0 ? -1 : world_rank, got[1]);
}

CASE(ireduce_scatter_and_block) {
  MPI_Request request;
  int out[16], in[4], counts[8], first = 0;
  for (int i = 0; i < 16; ++i) out[i] = 100 * world_rank + i;
  for (int r = 0; r < world_size; ++r) {
    counts[r] = r % 3;
    if (r < world_rank) first += counts[r];
  }
  MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  wait_for(&request);
  for (int i = 0; i < counts[world_rank]; ++i) CHECK_INT(1000 + 5 * (first + i), in[i]);
  MPI_Ireduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  wait_for(&request);
  for (int i = 0; i < 3; ++i) CHECK_INT(1000 + 5 * (3 * world_rank + i), in[i]);
}

CASE(ibcast_of_a_derived_type) {
  MPI_Datatype type = make_record_type();
  struct record values[500];
  for (int i = 0; i < 500; ++i) values[i] = record_of(world_rank == 3 ? 1 : 2, i);
  MPI_Request request;
  MPI_Ibcast(values, 500, type, 3, MPI_COMM_WORLD, &request);
  MPI_Type_free(&type);  // the pending call keeps it alive
  wait_for(&request);
  for (int i = 0; i < 500; ++i) CHECK(same_record(record_of(1, i), values[i]));
}
