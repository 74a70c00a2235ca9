// ranks: 5
// Everyone to everyone: Allgather, Allgatherv, Alltoall, Alltoallv, Alltoallw.
#include "layouts.h"

CASE(allgather_sizes) {
  const int counts[] = {0, 1, 5, 600, 8000, 60000};
  int* mine = malloc(sizeof(int) * 60000);
  int* all = malloc(sizeof(int) * 60000 * (size_t)world_size);
  for (int i = 0; i < 6; ++i) {
    fill(mine, counts[i], world_rank + i);
    CHECK_OK(MPI_Allgather(mine, counts[i], MPI_INT, all, counts[i], MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < world_size; ++r)
      CHECK_INT(-1, first_difference(all + r * counts[i], counts[i], r + i));
    DIGEST(all, sizeof(int) * (size_t)(counts[i] * world_size));
  }
  free(mine);
  free(all);
}

CASE(allgather_in_place) {
  double all[24];
  for (int i = 0; i < 3 * world_size; ++i) all[i] = i / 3 == world_rank ? 0.5 * i : -1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 3, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < 3 * world_size; ++i) CHECK(all[i] == 0.5 * i);
}

CASE(allgather_records) {
  MPI_Datatype type = make_record_type();
  struct record mine = record_of(world_rank, 3), all[8];
  MPI_Allgather(&mine, 1, type, all, 1, type, MPI_COMM_WORLD);
  for (int r = 0; r < world_size; ++r) CHECK(same_record(record_of(r, 3), all[r]));
  MPI_Type_free(&type);
}

CASE(allgather_transposes) {
  MPI_Datatype column = make_column_type(20, world_size);
  int mine[20], all[160];
  fill(mine, 20, world_rank);
  MPI_Allgather(mine, 20, MPI_INT, all, 1, column, MPI_COMM_WORLD);
  for (int i = 0; i < 20 * world_size; ++i) CHECK_INT(pattern(i % world_size, i / world_size), all[i]);
  MPI_Type_free(&column);
}

CASE(allgatherv_irregular) {
  const int units[] = {1, 300, 12000};
  for (int u = 0; u < 3; ++u) {
    int counts[8] = {0}, places[8], total = 0;
    for (int r = 0; r < world_size; ++r) {
      counts[r] = (r * 3 % 4) * units[u];  // rank 0 and 4 have nothing
      places[r] = total;
      total += counts[r] + 2;
    }
    int* mine = malloc(sizeof(int) * (size_t)(counts[world_rank] + 1));
    int* all = malloc(sizeof(int) * (size_t)total);
    for (int i = 0; i < total; ++i) all[i] = -1;
    fill(mine, counts[world_rank], world_rank);
    CHECK_OK(MPI_Allgatherv(mine, counts[world_rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < world_size; ++r) {
      CHECK_INT(-1, first_difference(all + places[r], counts[r], r));
      CHECK_INT(-1, all[places[r] + counts[r]]);
    }
    free(mine);
    free(all);
  }
}

CASE(allgatherv_in_place_of_one_contributor) {
  int counts[8] = {0}, places[8] = {0}, all[5] = {0};
  counts[3] = 5;
  if (world_rank == 3) fill(all, 5, 3);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  CHECK_INT(-1, first_difference(all, 5, 3));
}

CASE(alltoall_sizes) {
  const int counts[] = {0, 1, 4, 250, 3000, 40000};
  int* out = malloc(sizeof(int) * 40000 * (size_t)world_size);
  int* in = malloc(sizeof(int) * 40000 * (size_t)world_size);
  for (int i = 0; i < 6; ++i) {
    for (int r = 0; r < world_size; ++r) fill(out + r * counts[i], counts[i], 10 * world_rank + r);
    CHECK_OK(MPI_Alltoall(out, counts[i], MPI_INT, in, counts[i], MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < world_size; ++r) {
      CHECK_INT(-1, first_difference(in + r * counts[i], counts[i], 10 * r + world_rank));
    }
    DIGEST(in, sizeof(int) * (size_t)(counts[i] * world_size));
  }
  free(out);
  free(in);
}

CASE(alltoall_in_place) {
  int both[16];
  for (int i = 0; i < 2 * world_size; ++i) both[i] = 100 * world_rank + i;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, both, 2, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < world_size; ++r) {
    CHECK_INT(100 * r + 2 * world_rank, both[2 * r]);
    CHECK_INT(100 * r + 2 * world_rank + 1, both[2 * r + 1]);
  }
}

CASE(alltoallv_triangular) {
  // Rank s sends (s + 2 r) mod 5 ints to rank r: some pairs exchange nothing.
  int out_counts[8], in_counts[8], out_places[8], in_places[8], out[64], in[64];
  for (int r = 0; r < world_size; ++r) {
    out_counts[r] = (world_rank + 2 * r) % 5;
    in_counts[r] = (r + 2 * world_rank) % 5;
    out_places[r] = 6 * r;
    in_places[r] = 7 * (world_size - 1 - r);
    fill(out + out_places[r], out_counts[r], 10 * world_rank + r);
  }
  for (int i = 0; i < 64; ++i) in[i] = -1;
  CHECK_OK(
      MPI_Alltoallv(out, out_counts, out_places, MPI_INT, in, in_counts, in_places, MPI_INT, MPI_COMM_WORLD));
  for (int r = 0; r < world_size; ++r) {
    CHECK_INT(-1, first_difference(in + in_places[r], in_counts[r], 10 * r + world_rank));
    CHECK_INT(-1, in[in_places[r] + in_counts[r]]);
  }
  DIGEST(in, sizeof in);
}

CASE(alltoallv_in_place) {
  // In place the matrix of counts must be symmetric.
  int counts[8], places[8], both[64];
  for (int r = 0; r < world_size; ++r) {
    counts[r] = (world_rank + r) % 4;
    places[r] = 5 * r;
    fill(both + places[r], counts[r], 10 * world_rank + r);
  }
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, both, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < world_size; ++r) {
    CHECK_INT(-1, first_difference(both + places[r], counts[r], 10 * r + world_rank));
  }
}

CASE(alltoallv_large_ring) {
  // Only neighbours exchange, and more than any eager limit.
  const int count = 50000, right = (world_rank + 1) % world_size;
  const int left = (world_rank + world_size - 1) % world_size;
  int out_counts[8] = {0}, in_counts[8] = {0}, places[8] = {0};
  out_counts[right] = in_counts[left] = count;
  int* out = malloc(sizeof(int) * (size_t)count);
  int* in = malloc(sizeof(int) * (size_t)count);
  fill(out, count, world_rank);
  MPI_Alltoallv(out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT, MPI_COMM_WORLD);
  CHECK_INT(-1, first_difference(in, count, left));
  free(out);
  free(in);
}

CASE(alltoallw_another_type_for_every_peer) {
  // To even ranks go ints, to odd ranks doubles; the places are bytes.
  int counts[8], out_places[8], in_places[8];
  MPI_Datatype out_types[8], in_types[8];
  struct {
    double numbers[2];
    int whole[4];
  } out[8], in[8];
  memset(in, 0, sizeof in);
  for (int r = 0; r < world_size; ++r) {
    counts[r] = 2;
    out_types[r] = r % 2 ? MPI_DOUBLE : MPI_INT;
    in_types[r] = world_rank % 2 ? MPI_DOUBLE : MPI_INT;
    out_places[r] = r * (int)sizeof out[0] + (r % 2 ? 0 : 16);
    in_places[r] = r * (int)sizeof in[0] + (world_rank % 2 ? 0 : 16);
    for (int i = 0; i < 2; ++i) out[r].numbers[i] = out[r].whole[i] = 100 * world_rank + 10 * r + i;
  }
  CHECK_OK(
      MPI_Alltoallw(out, counts, out_places, out_types, in, counts, in_places, in_types, MPI_COMM_WORLD));
  for (int r = 0; r < world_size; ++r) {
    for (int i = 0; i < 2; ++i) {
      const int expected = 100 * r + 10 * world_rank + i;
      CHECK_INT(expected, world_rank % 2 ? (int)in[r].numbers[i] : in[r].whole[i]);
    }
    CHECK_INT(0, in[r].whole[2]);
  }
}

CASE(alltoallw_transposes_with_derived_types) {
  // Rows go out, columns come in: a distributed matrix turns over in one call.
  const int n = world_size;
  MPI_Datatype column = make_column_type(n, n);
  int out[64], in[64], ones[8], counts[8], out_places[8], in_places[8];
  MPI_Datatype out_types[8], in_types[8];
  for (int r = 0; r < n; ++r) {
    ones[r] = 1;
    counts[r] = n;
    out_types[r] = MPI_INT;
    in_types[r] = column;
    out_places[r] = r * n * (int)sizeof(int);
    in_places[r] = r * (int)sizeof(int);
  }
  for (int i = 0; i < n * n; ++i) out[i] = 1000 * world_rank + i;
  MPI_Alltoallw(out, counts, out_places, out_types, in, ones, in_places, in_types, MPI_COMM_WORLD);
  for (int r = 0; r < n; ++r) {
    for (int i = 0; i < n; ++i) CHECK_INT(1000 * r + world_rank * n + i, in[i * n + r]);
  }
  MPI_Type_free(&column);
}

// What no block is sent of needs no datatype.

/// Each rank gives `count` ints to the next one; all other blocks are empty and have MPI_DATATYPE_NULL.
struct ring {
  int counts[2][8], places[8];
  MPI_Datatype types[2][8];
};

static struct ring ring_of(int count) {
  struct ring ring;
  memset(&ring, 0, sizeof ring);
  for (int r = 0; r < world_size; ++r) ring.types[0][r] = ring.types[1][r] = MPI_DATATYPE_NULL;
  const int next = (world_rank + 1) % world_size, before = (world_rank + world_size - 1) % world_size;
  ring.counts[0][next] = ring.counts[1][before] = count;
  ring.types[0][next] = ring.types[1][before] = MPI_INT;
  return ring;
}

static void check_ring(const int* in) {
  CHECK_INT(-1, first_difference(in, 1000, (world_rank + world_size - 1) % world_size));
  DIGEST(in, 1000 * sizeof(int));
}

CASE(alltoallw_needs_no_datatype_of_empty_blocks) {
  const struct ring ring = ring_of(1000);
  int out[1000], in[1000];
  fill(out, 1000, world_rank);
  memset(in, 0, sizeof in);
  CHECK_OK(MPI_Alltoallw(out, ring.counts[0], ring.places, ring.types[0], in, ring.counts[1], ring.places,
                         ring.types[1], MPI_COMM_WORLD));
  check_ring(in);
}

CASE(nonblocking_alltoallw_needs_no_datatype_of_empty_blocks) {
  const struct ring ring = ring_of(1000);
  int out[1000], in[1000];
  MPI_Request request;
  fill(out, 1000, world_rank);
  memset(in, 0, sizeof in);
  CHECK_OK(MPI_Ialltoallw(out, ring.counts[0], ring.places, ring.types[0], in, ring.counts[1], ring.places,
                          ring.types[1], MPI_COMM_WORLD, &request));
  CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  check_ring(in);
}

#if MPI_VERSION >= 4
CASE(persistent_alltoallw_needs_no_datatype_of_empty_blocks) {
  const struct ring ring = ring_of(1000);
  int out[1000], in[1000];
  MPI_Request request;
  fill(out, 1000, world_rank);
  CHECK_OK(MPI_Alltoallw_init(out, ring.counts[0], ring.places, ring.types[0], in, ring.counts[1],
                              ring.places, ring.types[1], MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  for (int round = 0; round < 2; ++round) {
    memset(in, 0, sizeof in);
    MPI_Start(&request);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_ring(in);
  }
  MPI_Request_free(&request);
}
#endif

CASE(alltoallw_in_place_needs_no_datatype_of_empty_blocks) {
  // Neighbours in a line of pairs swap ints: 0 and 1, 2 and 3.
  int counts[8] = {0}, places[8] = {0}, value[2] = {world_rank, -1};
  MPI_Datatype types[8];
  const int partner = world_rank ^ 1;
  for (int r = 0; r < world_size; ++r) types[r] = MPI_DATATYPE_NULL;
  if (partner < world_size) counts[partner] = 1, types[partner] = MPI_INT;
  CHECK_OK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, value, counts, places, types, MPI_COMM_WORLD));
  CHECK_INT(partner < world_size ? partner : world_rank, value[0]);
  CHECK_INT(-1, value[1]);
}

CASE(alltoallw_of_nothing_at_all) {
  const struct ring ring = ring_of(0);
  MPI_Datatype none[2][8];
  for (int r = 0; r < world_size; ++r) none[0][r] = none[1][r] = MPI_DATATYPE_NULL;
  CHECK_OK(MPI_Alltoallw(NULL, ring.counts[0], ring.places, none[0], NULL, ring.counts[1], ring.places,
                         none[1], MPI_COMM_WORLD));
}
