// ranks: 7
// User operators, commutative and not; scans, whose order is prescribed.
#include "layouts.h"

struct matrix {
  unsigned a, b, c, d;  // modulo 2^32, so that every product is exact
};

static struct matrix times(struct matrix x, struct matrix y) {
  const struct matrix made = {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                              x.c * y.b + x.d * y.d};
  return made;
}

static struct matrix matrix_of(int rank, int i) {
  const unsigned r = (unsigned)rank, k = (unsigned)i;
  const struct matrix made = {1 + r, 2 + k, 3 + r * k, 5 + r + k};
  return made;
}

static struct matrix product(int first, int last, int i) {
  struct matrix made = {1, 0, 0, 1};
  for (int r = first; r <= last; ++r) made = times(made, matrix_of(r, i));
  return made;
}

static int same_matrix(struct matrix x, struct matrix y) {
  return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
}

static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  struct matrix *left = in, *right = inout;
  for (int i = 0; i < *count; ++i) right[i] = times(left[i], right[i]);
}

static MPI_Datatype matrix_type(void) {
  MPI_Datatype made;
  MPI_Type_contiguous(4, MPI_UNSIGNED, &made);
  MPI_Type_commit(&made);
  return made;
}

static void keep_larger_magnitude(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  int *a = in, *b = inout;
  for (int i = 0; i < *count; ++i) {
    if (abs(a[i]) > abs(b[i])) b[i] = a[i];
  }
}

static void add_records(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  struct record *a = in, *b = inout;
  for (int i = 0; i < *count; ++i) {
    b[i].value += a[i].value;
    b[i].number ^= a[i].number;
    if (a[i].letter < b[i].letter) b[i].letter = a[i].letter;
  }
}

CASE(commutative_operator_of_our_own) {
  MPI_Op op;
  MPI_Op_create(keep_larger_magnitude, 1, &op);
  int commutes = -1;
  MPI_Op_commutative(op, &commutes);
  CHECK_INT(1, commutes);
  const int mine[2] = {world_rank == 3 ? -50 : world_rank, 100 - world_rank};
  int got[2];
  CHECK_OK(MPI_Allreduce(mine, got, 2, MPI_INT, op, MPI_COMM_WORLD));
  CHECK_INT(-50, got[0]);
  CHECK_INT(100, got[1]);
  MPI_Op_free(&op);
  CHECK_SAME(MPI_OP_NULL, op);
}

CASE(noncommutative_reduce_to_every_root) {
  MPI_Datatype type = matrix_type();
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  for (int root = 0; root < world_size; ++root) {
    struct matrix mine[3], got[3];
    for (int i = 0; i < 3; ++i) mine[i] = matrix_of(world_rank, i + root);
    MPI_Reduce(mine, got, 3, type, op, root, MPI_COMM_WORLD);
    for (int i = 0; i < 3 && world_rank == root; ++i) {
      CHECK(same_matrix(product(0, world_size - 1, i + root), got[i]));
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

CASE(noncommutative_allreduce_small_and_large) {
  MPI_Datatype type = matrix_type();
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  const int counts[] = {1, 20, 3000};
  struct matrix* mine = malloc(sizeof(struct matrix) * 3000);
  struct matrix* got = malloc(sizeof(struct matrix) * 3000);
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < counts[c]; ++i) mine[i] = matrix_of(world_rank, i);
    MPI_Allreduce(mine, got, counts[c], type, op, MPI_COMM_WORLD);
    int wrong = 0;
    for (int i = 0; i < counts[c]; ++i) wrong += !same_matrix(product(0, world_size - 1, i), got[i]);
    CHECK_INT(0, wrong);
    DIGEST(got, sizeof(struct matrix) * (size_t)counts[c]);
  }
  free(mine);
  free(got);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

CASE(noncommutative_reduce_scatter) {
  MPI_Datatype type = matrix_type();
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  struct matrix out[16], got[2];
  int counts[8];
  for (int r = 0; r < world_size; ++r) counts[r] = r % 3;
  int first = 0;
  for (int r = 0; r < world_rank; ++r) first += counts[r];
  for (int i = 0; i < 16; ++i) out[i] = matrix_of(world_rank, i);
  MPI_Reduce_scatter(out, got, counts, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < counts[world_rank]; ++i) {
    CHECK(same_matrix(product(0, world_size - 1, first + i), got[i]));
  }
  MPI_Reduce_scatter_block(out, got, 2, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) CHECK(same_matrix(product(0, world_size - 1, 2 * world_rank + i), got[i]));
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

CASE(operator_on_records_with_holes) {
  MPI_Datatype type = make_record_type();
  MPI_Op op;
  MPI_Op_create(add_records, 1, &op);
  struct record mine[5], got[5];
  for (int i = 0; i < 5; ++i) mine[i] = record_of(world_rank, i);
  MPI_Allreduce(mine, got, 5, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) {
    struct record expected = record_of(0, i);
    int one = 1;
    for (int r = 1; r < world_size; ++r) {
      struct record other = record_of(r, i);
      add_records(&other, &expected, &one, &type);
    }
    CHECK(same_record(expected, got[i]));
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

CASE(scan_sum_and_sizes) {
  const int counts[] = {0, 1, 300, 30000};
  int* mine = malloc(sizeof(int) * 30000);
  int* got = malloc(sizeof(int) * 30000);
  for (int c = 0; c < 4; ++c) {
    for (int i = 0; i < counts[c]; ++i) mine[i] = world_rank + i;
    CHECK_OK(MPI_Scan(mine, got, counts[c], MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < counts[c]; ++i) {
      wrong += got[i] != world_rank * (world_rank + 1) / 2 + (world_rank + 1) * i;
    }
    CHECK_INT(0, wrong);
    DIGEST(got, sizeof(int) * (size_t)counts[c]);
  }
  free(mine);
  free(got);
}

CASE(scan_in_place_and_exscan_in_place) {
  double value = 1 << world_rank;
  MPI_Scan(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(value == (2 << world_rank) - 1);
  int number = world_rank + 1;
  MPI_Exscan(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
  int factorial = 1;
  for (int i = 2; i <= world_rank; ++i) factorial *= i;
  if (world_rank > 0) CHECK_INT(factorial, number);
}

CASE(exscan_leaves_rank_zero_alone) {
  const int mine = world_rank + 5;
  int got = -9;
  CHECK_OK(MPI_Exscan(&mine, &got, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  CHECK_INT(world_rank == 0 ? -9 : world_rank + 4, got);
}

CASE(scan_and_exscan_of_matrices) {
  MPI_Datatype type = matrix_type();
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  struct matrix mine[4], got[4];
  for (int i = 0; i < 4; ++i) mine[i] = matrix_of(world_rank, i);
  MPI_Scan(mine, got, 4, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) CHECK(same_matrix(product(0, world_rank, i), got[i]));
  MPI_Exscan(mine, got, 4, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < 4 && world_rank > 0; ++i) CHECK(same_matrix(product(0, world_rank - 1, i), got[i]));
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}
