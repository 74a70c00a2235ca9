// ranks: 6
// Reduce, Allreduce and Reduce_scatter(_block): every root, sizes, in place, every built-in operator.
#include "conformance.h"

#include <limits.h>

CASE(reduce_sum_to_every_root) {
  for (int root = 0; root < world_size; ++root) {
    const int mine[2] = {world_rank + root, -world_rank};
    int sum[2] = {-7, -7};
    CHECK_OK(MPI_Reduce(mine, sum, 2, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    CHECK_INT(world_rank == root ? 15 + 6 * root : -7, sum[0]);
    CHECK_INT(world_rank == root ? -15 : -7, sum[1]);
    DIGEST(sum, sizeof sum);
  }
}

CASE(reduce_sizes) {
  const int counts[] = {0, 1, 3, 500, 2048, 9000, 100000};
  int* mine = malloc(sizeof(int) * 100000);
  int* sum = malloc(sizeof(int) * 100000);
  for (int c = 0; c < 7; ++c) {
    const int root = (2 * c + 1) % world_size;
    for (int i = 0; i < counts[c]; ++i) mine[i] = (world_rank + 1) * (i % 1000);
    MPI_Reduce(mine, sum, counts[c], MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (world_rank != root) continue;
    int wrong = 0;
    for (int i = 0; i < counts[c]; ++i) wrong += sum[i] != 21 * (i % 1000);
    CHECK_INT(0, wrong);
  }
  free(mine);
  free(sum);
}

CASE(reduce_in_place_at_the_root) {
  double values[3] = {world_rank, 0.5, 1 << world_rank};
  if (world_rank == 2) {
    MPI_Reduce(MPI_IN_PLACE, values, 3, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD);
    CHECK(values[0] == 15 && values[1] == 3 && values[2] == 63);
  } else {
    MPI_Reduce(values, NULL, 3, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD);
    CHECK(values[0] == world_rank);
  }
}

CASE(allreduce_sizes) {
  const int counts[] = {0, 1, 5, 400, 513, 6000, 80000};
  double* mine = malloc(sizeof(double) * 80000);
  double* sum = malloc(sizeof(double) * 80000);
  for (int c = 0; c < 7; ++c) {
    for (int i = 0; i < counts[c]; ++i) mine[i] = 0.25 * (world_rank + i);
    CHECK_OK(MPI_Allreduce(mine, sum, counts[c], MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < counts[c]; ++i) wrong += sum[i] != 0.25 * (15 + 6 * i);
    CHECK_INT(0, wrong);
    DIGEST(sum, sizeof(double) * (size_t)counts[c]);
  }
  free(mine);
  free(sum);
}

CASE(allreduce_in_place) {
  int values[4] = {world_rank, 1, -world_rank, 100};
  MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK_INT(5, values[0]);
  CHECK_INT(1, values[1]);
  CHECK_INT(0, values[2]);
  CHECK_INT(100, values[3]);
}

static int reduced(int value, MPI_Op op) {
  int result = -12345;
  MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
  return result;
}

CASE(operators_on_integers) {
  CHECK_INT(720, reduced(world_rank + 1, MPI_PROD));
  CHECK_INT(-3, reduced(world_rank - 3, MPI_MIN));
  CHECK_INT(2, reduced(world_rank - 3, MPI_MAX));
  CHECK_INT(21, reduced(world_rank + 1, MPI_SUM));
  CHECK_INT(INT_MIN, reduced(world_rank == 4 ? INT_MIN : INT_MAX, MPI_MIN));
}

CASE(logical_operators) {
  CHECK_INT(1, reduced(world_rank + 1, MPI_LAND));
  CHECK_INT(0, reduced(world_rank, MPI_LAND));
  CHECK_INT(1, reduced(world_rank == 5 ? 8 : 0, MPI_LOR));
  CHECK_INT(0, reduced(0, MPI_LOR));
  CHECK_INT(1, reduced(world_rank < 3, MPI_LXOR));
  CHECK_INT(0, reduced(world_rank < 4, MPI_LXOR));
}

CASE(bitwise_operators) {
  CHECK_INT(0x3f, reduced(1 << world_rank, MPI_BOR));
  CHECK_INT(0xf00, reduced(0xf00 | (1 << world_rank), MPI_BAND));
  CHECK_INT(0x3f ^ 0x700, reduced((1 << world_rank) ^ (world_rank == 1 ? 0x700 : 0), MPI_BXOR));
}

CASE(operators_on_doubles) {
  const double mine = world_rank - 2.5;
  double result;
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  CHECK(result == -3.515625);
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(result == 2.5);
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  CHECK(result == -2.5);
}

CASE(operators_on_other_widths) {
  const unsigned char byte = (unsigned char)(1u << world_rank);
  unsigned char bytes = 0;
  MPI_Allreduce(&byte, &bytes, 1, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD);
  CHECK_INT(0x3f, bytes);
  const int64_t wide = (int64_t)world_rank << 40;
  int64_t total = 0;
  MPI_Allreduce(&wide, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK_INT((int64_t)15 << 40, total);
  const uint16_t narrow = (uint16_t)(65535 - world_rank);
  uint16_t least = 0;
  MPI_Allreduce(&narrow, &least, 1, MPI_UINT16_T, MPI_MIN, MPI_COMM_WORLD);
  CHECK_INT(65530, least);
  const float real = 0.5f * (float)world_rank;
  float sum = 0;
  MPI_Allreduce(&real, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == 7.5f);
}

CASE(maxloc_and_minloc_break_ties_by_index) {
  struct {
    int value, place;
  } mine[3] = {{world_rank % 3, world_rank}, {7, 10 - world_rank}, {-world_rank, world_rank}}, got[3];
  MPI_Allreduce(mine, got, 3, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  CHECK_INT(2, got[0].value);
  CHECK_INT(2, got[0].place);  // ranks 2 and 5 hold it
  CHECK_INT(5, got[1].place);
  CHECK_INT(0, got[2].value);
  MPI_Allreduce(mine, got, 3, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
  CHECK_INT(0, got[0].place);
  CHECK_INT(5, got[1].place);
  CHECK_INT(-5, got[2].value);
  CHECK_INT(5, got[2].place);
}

CASE(maxloc_of_double_int_pairs) {
  // The pair type has a hole behind its int.
  struct {
    double value;
    int place;
  } mine[40], got[40];
  for (int i = 0; i < 40; ++i) mine[i].value = (world_rank * 7 + i) % 6 * 0.5, mine[i].place = world_rank;
  MPI_Reduce(mine, got, 40, MPI_DOUBLE_INT, MPI_MAXLOC, 1, MPI_COMM_WORLD);
  for (int i = 0; i < 40 && world_rank == 1; ++i) {
    CHECK(got[i].value == 2.5);
    CHECK_INT(5, (got[i].place * 7 + i) % 6);
  }
}

CASE(reduce_scatter_block_sizes) {
  const int counts[] = {0, 1, 7, 700, 20000};
  int* out = malloc(sizeof(int) * 20000 * (size_t)world_size);
  int* in = malloc(sizeof(int) * 20000);
  for (int c = 0; c < 5; ++c) {
    for (int i = 0; i < counts[c] * world_size; ++i) out[i] = world_rank * 1000000 + i;
    CHECK_OK(MPI_Reduce_scatter_block(out, in, counts[c], MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < counts[c]; ++i) wrong += in[i] != 15000000 + 6 * (world_rank * counts[c] + i);
    CHECK_INT(0, wrong);
    DIGEST(in, sizeof(int) * (size_t)counts[c]);
  }
  free(out);
  free(in);
}

CASE(reduce_scatter_block_in_place) {
  int both[6];
  for (int i = 0; i < world_size; ++i) both[i] = world_rank * i;
  MPI_Reduce_scatter_block(MPI_IN_PLACE, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK_INT(15 * world_rank, both[0]);
}

CASE(reduce_scatter_irregular_with_empty_parts) {
  const int units[] = {1, 2000};
  for (int u = 0; u < 2; ++u) {
    int counts[8], first = 0, total = 0;
    for (int r = 0; r < world_size; ++r) {
      counts[r] = (r * 5 + 1) % 4 * units[u];
      if (r < world_rank) first += counts[r];
      total += counts[r];
    }
    double* out = malloc(sizeof(double) * (size_t)total);
    double* in = malloc(sizeof(double) * (size_t)(total + 1));
    for (int i = 0; i < total; ++i) out[i] = world_rank + 0.5 * i;
    CHECK_OK(MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < counts[world_rank]; ++i) wrong += in[i] != 15 + 3.0 * (first + i);
    CHECK_INT(0, wrong);
    free(out);
    free(in);
  }
}

CASE(reduce_scatter_in_place_to_one_rank) {
  int counts[8] = {0}, both[9];
  counts[4] = 9;
  for (int i = 0; i < 9; ++i) both[i] = world_rank + i;
  MPI_Reduce_scatter(MPI_IN_PLACE, both, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < 9 && world_rank == 4; ++i) CHECK_INT(5 + i, both[i]);
}

CASE(reduce_local_needs_no_partner) {
  int in[3] = {1, 2, 3}, both[3] = {10, 20, world_rank};
  MPI_Reduce_local(in, both, 3, MPI_INT, MPI_SUM);
  CHECK_INT(11, both[0]);
  CHECK_INT(22, both[1]);
  CHECK_INT(3 + world_rank, both[2]);
}
