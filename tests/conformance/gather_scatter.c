// ranks: 6
// Gather and scatter with their v variants: every root, in place, irregular and empty parts, derived types.
#include "layouts.h"

CASE(gather_to_every_root) {
  int all[8];
  for (int root = 0; root < world_size; ++root) {
    const int mine = 100 * root + world_rank;
    memset(all, 0, sizeof all);
    CHECK_OK(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < world_size; ++i) CHECK_INT(world_rank == root ? 100 * root + i : 0, all[i]);
  }
}

CASE(gather_sizes) {
  const int counts[] = {0, 3, 100, 1500, 20000, 70000};
  int* mine = malloc(sizeof(int) * 70000);
  int* all = malloc(sizeof(int) * 70000 * (size_t)world_size);
  for (int i = 0; i < 6; ++i) {
    const int root = (i + 1) % world_size;
    fill(mine, counts[i], world_rank);
    MPI_Gather(mine, counts[i], MPI_INT, all, counts[i], MPI_INT, root, MPI_COMM_WORLD);
    if (world_rank != root) continue;
    for (int r = 0; r < world_size; ++r) CHECK_INT(-1, first_difference(all + r * counts[i], counts[i], r));
    DIGEST(all, sizeof(int) * (size_t)(counts[i] * world_size));
  }
  free(mine);
  free(all);
}

CASE(gather_in_place) {
  int all[8];
  for (int i = 0; i < 8; ++i) all[i] = -1;
  int mine = 7 * world_rank;
  if (world_rank == 4) {
    all[4] = 28;
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 4, MPI_COMM_WORLD);
    for (int i = 0; i < world_size; ++i) CHECK_INT(7 * i, all[i]);
  } else {
    MPI_Gather(&mine, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 4, MPI_COMM_WORLD);
  }
}

CASE(gather_into_interleaved_columns) {
  MPI_Datatype column = make_column_type(10, world_size);
  int mine[10], all[80];
  fill(mine, 10, world_rank);
  MPI_Gather(mine, 10, MPI_INT, all, 1, column, 0, MPI_COMM_WORLD);
  if (world_rank == 0) {
    for (int row = 0; row < 10; ++row) {
      for (int r = 0; r < world_size; ++r) CHECK_INT(pattern(r, row), all[row * world_size + r]);
    }
  }
  MPI_Type_free(&column);
}

CASE(gather_records) {
  MPI_Datatype type = make_record_type();
  struct record mine[2] = {record_of(world_rank, 0), record_of(world_rank, 1)}, all[16];
  MPI_Gather(mine, 2, type, all, 2, type, 3, MPI_COMM_WORLD);
  if (world_rank == 3) {
    for (int i = 0; i < 2 * world_size; ++i) CHECK(same_record(record_of(i / 2, i % 2), all[i]));
  }
  MPI_Type_free(&type);
}

/// Rank r contributes (5 r) mod 4 + 1 ints, but the even ones of them nothing if `holes`.
static int part_of(int r, int holes) {
  return holes && r % 2 == 0 ? 0 : 5 * r % 4 + 1;
}

CASE(gatherv_irregular_with_gaps_and_empty_parts) {
  for (int holes = 0; holes < 2; ++holes) {
    for (int root = 0; root < world_size; ++root) {
      int counts[8], places[8], mine[8], all[64];
      for (int r = 0; r < world_size; ++r)
        counts[r] = part_of(r, holes), places[r] = 6 * (world_size - 1 - r);
      for (int i = 0; i < 64; ++i) all[i] = -1;
      fill(mine, counts[world_rank], world_rank);
      CHECK_OK(
          MPI_Gatherv(mine, counts[world_rank], MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD));
      for (int r = 0; r < world_size && world_rank == root; ++r) {
        CHECK_INT(-1, first_difference(all + places[r], counts[r], r));
        CHECK_INT(-1, all[places[r] + counts[r]]);
      }
    }
  }
}

CASE(gatherv_in_place_and_large) {
  const int root = 2, unit = 9000;
  int counts[8], places[8], total = 0;
  for (int r = 0; r < world_size; ++r) counts[r] = r * unit, places[r] = total, total += counts[r];
  int* all = malloc(sizeof(int) * (size_t)total);
  int* mine = malloc(sizeof(int) * (size_t)(counts[world_rank] + 1));
  fill(world_rank == root ? all + places[root] : mine, counts[world_rank], world_rank);
  if (world_rank == root) {
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);
    for (int r = 0; r < world_size; ++r) CHECK_INT(-1, first_difference(all + places[r], counts[r], r));
  } else {
    MPI_Gatherv(mine, counts[world_rank], MPI_INT, NULL, NULL, NULL, MPI_INT, root, MPI_COMM_WORLD);
  }
  free(all);
  free(mine);
}

CASE(scatter_from_every_root) {
  for (int root = 0; root < world_size; ++root) {
    double all[16], mine[2] = {-1, -1};
    for (int i = 0; i < 2 * world_size; ++i) all[i] = root + 0.5 * i;
    CHECK_OK(MPI_Scatter(all, 2, MPI_DOUBLE, mine, 2, MPI_DOUBLE, root, MPI_COMM_WORLD));
    CHECK(mine[0] == root + world_rank && mine[1] == root + world_rank + 0.5);
    DIGEST(mine, sizeof mine);
  }
}

CASE(scatter_sizes) {
  const int counts[] = {0, 3, 100, 1500, 20000, 70000};
  int* mine = malloc(sizeof(int) * 70000);
  int* all = malloc(sizeof(int) * 70000 * (size_t)world_size);
  for (int i = 0; i < 6; ++i) {
    const int root = (5 * i + 2) % world_size;
    if (world_rank == root) {
      for (int r = 0; r < world_size; ++r) fill(all + r * counts[i], counts[i], r + i);
    }
    MPI_Scatter(all, counts[i], MPI_INT, mine, counts[i], MPI_INT, root, MPI_COMM_WORLD);
    CHECK_INT(-1, first_difference(mine, counts[i], world_rank + i));
  }
  free(mine);
  free(all);
}

CASE(scatter_in_place_leaves_the_roots_part) {
  int all[8], mine = -1;
  for (int i = 0; i < world_size; ++i) all[i] = 3 * i + 1;
  if (world_rank == 5) {
    MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 5, MPI_COMM_WORLD);
    for (int i = 0; i < world_size; ++i) CHECK_INT(3 * i + 1, all[i]);
  } else {
    MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, &mine, 1, MPI_INT, 5, MPI_COMM_WORLD);
    CHECK_INT(3 * world_rank + 1, mine);
  }
}

CASE(scatter_columns_of_a_matrix) {
  MPI_Datatype column = make_column_type(10, world_size);
  int all[80], mine[10];
  for (int i = 0; i < 10 * world_size; ++i) all[i] = i;
  MPI_Scatter(all, 1, column, mine, 10, MPI_INT, 1, MPI_COMM_WORLD);
  for (int row = 0; row < 10; ++row) CHECK_INT(row * world_size + world_rank, mine[row]);
  MPI_Type_free(&column);
}

CASE(scatterv_irregular_with_gaps_and_empty_parts) {
  for (int holes = 0; holes < 2; ++holes) {
    for (int root = 0; root < world_size; ++root) {
      int counts[8], places[8], mine[8], all[64];
      for (int r = 0; r < world_size; ++r) {
        counts[r] = part_of(r, holes);
        places[r] = 6 * ((r + root) % world_size);
        fill(all + places[r], counts[r], r + 10 * root);
      }
      for (int i = 0; i < 8; ++i) mine[i] = -1;
      CHECK_OK(MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[world_rank], MPI_INT, root,
                            MPI_COMM_WORLD));
      CHECK_INT(-1, first_difference(mine, counts[world_rank], world_rank + 10 * root));
      CHECK_INT(-1, mine[counts[world_rank]]);
    }
  }
}

CASE(scatterv_in_place_and_records) {
  MPI_Datatype type = make_record_type();
  struct record all[40], mine[8];
  int counts[8], places[8], total = 0;
  for (int r = 0; r < world_size; ++r) counts[r] = r, places[r] = total, total += r;
  for (int i = 0; i < total; ++i) all[i] = record_of(5, i);
  if (world_rank == 3) {
    MPI_Scatterv(all, counts, places, type, MPI_IN_PLACE, 0, type, 3, MPI_COMM_WORLD);
  } else {
    MPI_Scatterv(NULL, NULL, NULL, type, mine, world_rank, type, 3, MPI_COMM_WORLD);
    for (int i = 0; i < world_rank; ++i) CHECK(same_record(record_of(5, places[world_rank] + i), mine[i]));
  }
  MPI_Type_free(&type);
}

// MPI_IN_PLACE is the root's alone; where there is nothing to gather or scatter, other ranks may say it, too.

CASE(scatter_of_nothing_in_place_on_every_rank) {
  int all[8] = {0}, zeros[8] = {0};
  CHECK_OK(MPI_Scatter(all, 0, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
  CHECK_OK(MPI_Scatterv(all, zeros, zeros, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD));
  MPI_Request request;
  CHECK_OK(MPI_Iscatter(all, 0, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 2, MPI_COMM_WORLD, &request));
  CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

CASE(gather_of_nothing_in_place_on_every_rank) {
  int all[8] = {0}, zeros[8] = {0};
  CHECK_OK(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 0, MPI_INT, 0, MPI_COMM_WORLD));
  CHECK_OK(MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, zeros, zeros, MPI_INT, 1, MPI_COMM_WORLD));
}
