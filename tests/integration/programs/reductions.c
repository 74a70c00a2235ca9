// Reductions and scans with several datatypes and operators, one that does not commute among them.
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int rank, ranks;

typedef struct {
  int a, b;
} Matrix;  // the affine map x -> a x + b; composing two does not commute

// inout = in o inout, as MPI defines it: in comes from lower ranks
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const Matrix* first = in;
  Matrix* second = inout;
  for (int i = 0; i < *count; ++i) {
    const Matrix result = {(first[i].a * second[i].a) % 10007,
                           (second[i].a * first[i].b + second[i].b) % 10007};
    second[i] = result;
  }
}

static Matrix matrix_of(int owner, int i) {
  const Matrix m = {owner + 2 + i, 3 * owner + i + 1};
  return m;
}

static Matrix product(int first, int last, int i) {
  Matrix total = matrix_of(first, i);
  for (int r = first + 1; r <= last; ++r) {
    Matrix next = matrix_of(r, i);
    int one = 1;
    compose(&total, &next, &one, NULL);
    total = next;
  }
  return total;
}

static int same(Matrix x, Matrix y) {
  return x.a == y.a && x.b == y.b;
}

static void integers(int count) {
  long *own = calloc((size_t)count + 1, sizeof(long)), *result = calloc((size_t)count + 1, sizeof(long));
  const long all = (long)ranks * (ranks - 1) / 2;
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int root = 0; root < ranks; ++root) {
      if (in_place && root != 0 && count > 256) continue;  // crashes in MPICH 4.0.2 itself
      for (int i = 0; i < count; ++i) own[i] = result[i] = rank + i;
      if (in_place && rank == root)
        MPI_Reduce(MPI_IN_PLACE, result, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
      else
        MPI_Reduce(own, result, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
      for (int i = 0; i < count && rank == root; ++i)
        CHECK(result[i] == all + (long)i * ranks, "reduce [%d] = %ld", i, result[i]);
    }
    for (int i = 0; i < count; ++i) own[i] = result[i] = rank + i;
    MPI_Allreduce(in_place ? MPI_IN_PLACE : own, result, count, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) CHECK(result[i] == ranks - 1 + i, "allreduce [%d] = %ld", i, result[i]);
    for (int i = 0; i < count; ++i) own[i] = result[i] = rank + i;
    MPI_Scan(in_place ? MPI_IN_PLACE : own, result, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i)
      CHECK(result[i] == (long)rank * (rank + 1) / 2 + (long)i * (rank + 1), "scan [%d] = %ld", i, result[i]);
    for (int i = 0; i < count; ++i) own[i] = result[i] = rank + i;
    MPI_Exscan(in_place ? MPI_IN_PLACE : own, result, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count && rank > 0; ++i)
      CHECK(result[i] == (long)rank * (rank - 1) / 2 + (long)i * rank, "exscan [%d] = %ld", i, result[i]);
  }
  free(own);
  free(result);
}

static void shared_out(int in_place) {
  int* counts = malloc(sizeof(int) * (size_t)ranks);
  int total = 0, before = 0;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = i % 3 == 1 ? 0 : i + 1;
    if (i < rank) before += counts[i];
    total += counts[i];
  }
  int *own = malloc(sizeof(int) * (size_t)(total + 1)), *result = malloc(sizeof(int) * (size_t)(total + 1));
  for (int i = 0; i < total; ++i) own[i] = result[i] = rank * i;
  MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : own, result, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int sum = ranks * (ranks - 1) / 2;
  for (int i = 0; i < counts[rank]; ++i)
    CHECK(result[i] == sum * (before + i), "reduce_scatter [%d] = %d", i, result[i]);
  free(own);
  free(result);
  own = malloc(sizeof(int) * (size_t)(5 * ranks));
  result = malloc(sizeof(int) * (size_t)(5 * ranks));
  for (int i = 0; i < 5 * ranks; ++i) own[i] = result[i] = rank + i;
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : own, result, 5, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i)
    CHECK(result[i] == 5 * rank + i, "reduce_scatter_block [%d] = %d", i, result[i]);
  free(own);
  free(result);
  free(counts);
}

static void noncommuting(void) {
  enum { count = 3 };
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(compose, 0, &op);
  Matrix own[count], result[count];
  for (int i = 0; i < count; ++i) own[i] = matrix_of(rank, i);
  MPI_Reduce(own, result, count, type, op, ranks - 1, MPI_COMM_WORLD);
  for (int i = 0; i < count && rank == ranks - 1; ++i)
    CHECK(same(result[i], product(0, ranks - 1, i)), "reduce in order [%d]", i);
  MPI_Allreduce(own, result, count, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i)
    CHECK(same(result[i], product(0, ranks - 1, i)), "allreduce in order [%d]", i);
  MPI_Scan(own, result, count, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(same(result[i], product(0, rank, i)), "scan in order [%d]", i);
  MPI_Exscan(own, result, count, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < count && rank > 0; ++i)
    CHECK(same(result[i], product(0, rank - 1, i)), "exscan in order [%d]", i);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

static void pairs(void) {
  struct {
    double value;
    int where;
  } own = {(double)((rank * 7) % ranks), rank}, result = {-1, -1};
  MPI_Allreduce(&own, &result, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  double best = -1;
  int where = -1;
  for (int r = 0; r < ranks; ++r)
    if ((double)((r * 7) % ranks) > best) {
      best = (double)((r * 7) % ranks);
      where = r;
    }
  CHECK(result.value == best && result.where == where, "maxloc gave %g at %d", result.value, result.where);
}

static void add_spread(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    ((int*)inout)[4 * i] += ((int*)in)[4 * i];
    ((int*)inout)[4 * i + 2] += ((int*)in)[4 * i + 2];
  }
}

// Elements with gaps: what lies in the gaps of the result must stay.
static void spread(void) {
  MPI_Datatype vector, type;
  MPI_Op op;
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 4 * (MPI_Aint)sizeof(int), &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add_spread, 1, &op);
  int own[12], result[12];
  for (int i = 0; i < 12; ++i) own[i] = rank + i, result[i] = -5;
  MPI_Allreduce(own, result, 3, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < 12; ++i) {
    const int expected = i % 2 == 1 ? -5 : ranks * (ranks - 1) / 2 + ranks * i;
    CHECK(result[i] == expected, "spread [%d] = %d, not %d", i, result[i], expected);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Type_free(&vector);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  integers(0);
  integers(1);
  integers(3000);
  shared_out(0);
  shared_out(1);
  noncommuting();
  pairs();
  spread();
  double sum = 0, tenth = 0.1, *all = malloc(sizeof(double) * (size_t)ranks);
  MPI_Allreduce(&tenth, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgather(&sum, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i)
    CHECK(memcmp(&all[i], &sum, sizeof sum) == 0, "ranks %d and %d differ in a sum's last bits", rank, i);
  free(all);
  return verdict("reductions");
}
