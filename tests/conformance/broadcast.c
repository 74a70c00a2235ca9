// ranks: 5
// Barrier and broadcast: every root, every size from nothing to far above the eager limits, derived types.
#include "layouts.h"

static int root_of(int round) {
  return round % world_size;
}

CASE(barrier_lets_all_through) {
  for (int i = 0; i < 20; ++i) CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

CASE(barrier_waits_for_messages_order) {
  // Each round one rank writes to its right; after the barrier the message must be there to be probed in
  // time.
  for (int round = 0; round < world_size; ++round) {
    const int to = (root_of(round) + 1) % world_size;
    if (world_rank == round) MPI_Send(&round, 1, MPI_INT, to, round, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == to) {
      int got = -1;
      MPI_Recv(&got, 1, MPI_INT, round, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_INT(round, got);
    }
  }
}

CASE(bcast_one_int_from_every_root) {
  for (int root = 0; root < world_size; ++root) {
    int value = world_rank == root ? 1000 + root : -1;
    CHECK_OK(MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD));
    CHECK_INT(1000 + root, value);
    DIGEST(&value, sizeof value);
  }
}

CASE(bcast_of_nothing) {
  int untouched = 17;
  CHECK_OK(MPI_Bcast(&untouched, 0, MPI_INT, 1, MPI_COMM_WORLD));
  CHECK_OK(MPI_Bcast(NULL, 0, MPI_INT, 2, MPI_COMM_WORLD));
  CHECK_INT(17, untouched);
}

CASE(bcast_sizes_across_every_threshold) {
  const int counts[] = {2, 7, 64, 511, 512, 513, 2048, 4097, 16384, 40000, 131072, 300001};
  const int most = 300001;
  int* values = malloc(sizeof(int) * (size_t)most);
  for (int i = 0; i < (int)(sizeof counts / sizeof counts[0]); ++i) {
    const int root = root_of(i);
    if (world_rank == root) {
      fill(values, counts[i], i);
    } else {
      memset(values, 0, sizeof(int) * (size_t)counts[i]);
    }
    CHECK_OK(MPI_Bcast(values, counts[i], MPI_INT, root, MPI_COMM_WORLD));
    CHECK_INT(-1, first_difference(values, counts[i], i));
    DIGEST(values, sizeof(int) * (size_t)counts[i]);
  }
  free(values);
}

CASE(bcast_doubles) {
  double values[100];
  for (int i = 0; i < 100; ++i) values[i] = world_rank == 3 ? i * 0.125 : -1.0;
  MPI_Bcast(values, 100, MPI_DOUBLE, 3, MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i) CHECK(values[i] == i * 0.125);
}

CASE(bcast_records_with_holes) {
  MPI_Datatype type = make_record_type();
  struct record values[33];
  for (int i = 0; i < 33; ++i) values[i] = record_of(world_rank == 2 ? 7 : 99, i);
  MPI_Bcast(values, 33, type, 2, MPI_COMM_WORLD);
  for (int i = 0; i < 33; ++i) CHECK(same_record(record_of(7, i), values[i]));
  MPI_Type_free(&type);
}

CASE(bcast_column_leaves_gaps_alone) {
  MPI_Datatype column = make_column_type(50, 3);
  int values[150];
  for (int i = 0; i < 150; ++i) values[i] = world_rank == 4 ? i : -1;
  MPI_Bcast(values, 1, column, 4, MPI_COMM_WORLD);
  for (int i = 0; i < 150; ++i) CHECK_INT(world_rank == 4 || i % 3 == 0 ? i : -1, values[i]);
  MPI_Type_free(&column);
}

CASE(bcast_signatures_match_though_types_differ) {
  // The root sends a column, the others receive it contiguously.
  MPI_Datatype column = make_column_type(4000, 2);
  int* values = malloc(sizeof(int) * 8000);
  for (int i = 0; i < 8000; ++i) values[i] = world_rank == 1 ? i : -1;
  if (world_rank == 1) {
    MPI_Bcast(values, 1, column, 1, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(values, 4000, MPI_INT, 1, MPI_COMM_WORLD);
    for (int i = 0; i < 4000; ++i) CHECK_INT(2 * i, values[i]);
    CHECK_INT(-1, values[4000]);
  }
  free(values);
  MPI_Type_free(&column);
}

CASE(bcast_on_self_and_on_one_rank) {
  int value = world_rank;
  CHECK_OK(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF));
  CHECK_OK(MPI_Barrier(MPI_COMM_SELF));
  CHECK_INT(world_rank, value);
}

CASE(bcast_chain_of_dependent_roots) {
  int value = world_rank == 0 ? 1 : 0;
  for (int round = 0; round < 25; ++round) {
    MPI_Bcast(&value, 1, MPI_INT, root_of(round), MPI_COMM_WORLD);
    if (world_rank == root_of(round + 1)) value = value * 3 % 10007;
  }
  MPI_Bcast(&value, 1, MPI_INT, root_of(25), MPI_COMM_WORLD);
  int expected = 1;
  for (int round = 0; round < 25; ++round) expected = expected * 3 % 10007;
  CHECK_INT(expected, value);
}
