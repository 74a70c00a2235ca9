// Derived datatypes: what is sent in one layout arrives in another.
// ranks: 2
#include "conformance.h"

enum { most = 64 };

// Rank 0 sends `count` of `send_type` from `from`; rank 1 receives `receive_count` of `receive_type` into
// `into`, which starts as -1 everywhere, and gets how many basic elements came.
static int transfer(const void* from, int count, MPI_Datatype send_type, int* into, int receive_count,
                    MPI_Datatype receive_type) {
  int elements = -1;
  for (int i = 0; i < most; ++i) into[i] = -1;
  if (world_rank == 0) {
    MPI_Send(from, count, send_type, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    MPI_Recv(into, receive_count, receive_type, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, receive_type, &elements);
    DIGEST(into, most * sizeof(int));
  }
  return elements;
}

static const int* counted(void) {
  static int values[most];
  for (int i = 0; i < most; ++i) values[i] = i;
  return values;
}

CASE(contiguous_to_elements) {
  int got[most];
  MPI_Datatype five;
  MPI_Type_contiguous(5, MPI_INT, &five);
  MPI_Type_commit(&five);
  const int elements = transfer(counted(), 2, five, got, most, MPI_INT);
  if (world_rank == 1) {
    CHECK_INT(10, elements);
    for (int i = 0; i < most; ++i) CHECK_INT(i < 10 ? i : -1, got[i]);
  }
  MPI_Type_free(&five);
  CHECK_SAME(MPI_DATATYPE_NULL, five);
}

CASE(vector_to_contiguous_and_back) {
  int got[most];
  MPI_Datatype columns;
  MPI_Type_vector(4, 2, 5, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  transfer(counted(), 1, columns, got, most, MPI_INT);
  if (world_rank == 1) {
    for (int i = 0; i < 8; ++i) CHECK_INT(i / 2 * 5 + i % 2, got[i]);
    CHECK_INT(-1, got[8]);
  }
  const int elements = transfer(counted(), 8, MPI_INT, got, 1, columns);
  if (world_rank == 1) {
    CHECK_INT(8, elements);
    for (int i = 0; i < 20; ++i) CHECK_INT(i % 5 < 2 ? i / 5 * 2 + i % 5 : -1, got[i]);
  }
  MPI_Type_free(&columns);
}

CASE(hvector_of_vectors_transposes) {
  enum { n = 5 };
  int got[most];
  MPI_Datatype column, transposed;
  MPI_Type_vector(n, 1, n, MPI_INT, &column);
  MPI_Type_create_hvector(n, 1, sizeof(int), column, &transposed);
  MPI_Type_commit(&transposed);
  transfer(counted(), 1, transposed, got, n * n, MPI_INT);
  if (world_rank == 1) {
    for (int i = 0; i < n * n; ++i) CHECK_INT(i % n * n + i / n, got[i]);
  }
  MPI_Type_free(&column);
  MPI_Type_free(&transposed);
}

CASE(indexed_with_unequal_blocks) {
  int got[most];
  static const int lengths[] = {2, 0, 3, 1}, places[] = {10, 4, 0, 20};
  MPI_Datatype pieces;
  MPI_Type_indexed(4, lengths, places, MPI_INT, &pieces);
  MPI_Type_commit(&pieces);
  transfer(counted(), 1, pieces, got, most, MPI_INT);
  static const int order[] = {10, 11, 0, 1, 2, 20};
  if (world_rank == 1) {
    for (int i = 0; i < 6; ++i) CHECK_INT(order[i], got[i]);
    CHECK_INT(-1, got[6]);
  }
  transfer(counted(), 1, pieces, got, 1, pieces);
  if (world_rank == 1) {
    for (int i = 0; i < 21; ++i) CHECK_INT(i < 3 || i == 10 || i == 11 || i == 20 ? i : -1, got[i]);
  }
  MPI_Type_free(&pieces);
}

CASE(hindexed) {
  int got[most];
  static const int lengths[] = {1, 2};
  static const MPI_Aint places[] = {7 * sizeof(int), 2 * sizeof(int)};
  MPI_Datatype pieces;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &pieces);
  MPI_Type_commit(&pieces);
  transfer(counted(), 1, pieces, got, most, MPI_INT);
  if (world_rank == 1) {
    CHECK_INT(7, got[0]);
    CHECK_INT(2, got[1]);
    CHECK_INT(3, got[2]);
    CHECK_INT(-1, got[3]);
  }
  MPI_Type_free(&pieces);
}

CASE(indexed_block_and_hindexed_block) {
  int got[most];
  static const int places[] = {12, 3, 6};
  static const MPI_Aint byte_places[] = {12 * sizeof(int), 3 * sizeof(int), 6 * sizeof(int)};
  MPI_Datatype types[2];
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &types[0]);
  MPI_Type_create_hindexed_block(3, 2, byte_places, MPI_INT, &types[1]);
  for (int t = 0; t < 2; ++t) {
    MPI_Type_commit(&types[t]);
    transfer(counted(), 1, types[t], got, most, MPI_INT);
    if (world_rank == 1) {
      for (int i = 0; i < 6; ++i) CHECK_INT(places[i / 2] + i % 2, got[i]);
    }
    MPI_Type_free(&types[t]);
  }
}

typedef struct {
  char letter;
  double value;
  int numbers[3];
} Record;

static MPI_Datatype record_type(void) {
  static const int lengths[] = {1, 1, 3};
  const MPI_Aint places[] = {offsetof(Record, letter), offsetof(Record, value), offsetof(Record, numbers)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype plain, resized;
  MPI_Type_create_struct(3, lengths, places, types, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(Record), &resized);
  MPI_Type_commit(&resized);
  MPI_Type_free(&plain);
  return resized;
}

CASE(struct_in_an_array) {
  enum { count = 4 };
  MPI_Datatype type = record_type();
  if (world_rank == 0) {
    Record records[count];
    memset(records, 0, sizeof records);
    for (int i = 0; i < count; ++i) {
      records[i].letter = (char)('a' + i);
      records[i].value = i + 0.5;
      fill(records[i].numbers, 3, i);
    }
    MPI_Send(records, count, type, 1, 2, MPI_COMM_WORLD);
  } else {
    Record records[count + 1];
    MPI_Status status;
    int whole = -1, elements = -1;
    memset(records, 0, sizeof records);
    MPI_Recv(records, count + 1, type, 0, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &whole);
    MPI_Get_elements(&status, type, &elements);
    CHECK_INT(count, whole);
    CHECK_INT(count * 5, elements);
    for (int i = 0; i < count; ++i) {
      CHECK_INT('a' + i, records[i].letter);
      CHECK(records[i].value == i + 0.5);
      CHECK_INT(-1, first_difference(records[i].numbers, 3, i));
    }
    CHECK_INT(0, records[count].letter);
  }
  MPI_Type_free(&type);
}

CASE(struct_to_another_struct) {
  // The same type signature, another order in memory.
  MPI_Datatype type = record_type();
  if (world_rank == 0) {
    Record record;
    memset(&record, 0, sizeof record);
    record.letter = 'z';
    record.value = 2.25;
    fill(record.numbers, 3, 9);
    MPI_Send(&record, 1, type, 1, 3, MPI_COMM_WORLD);
  } else {
    struct {
      int numbers[3];
      char letter;
      double value;
    } other;
    static const int lengths[] = {1, 1, 3};
    MPI_Aint base, places[3];
    MPI_Get_address(&other, &base);
    MPI_Get_address(&other.letter, &places[0]);
    MPI_Get_address(&other.value, &places[1]);
    MPI_Get_address(other.numbers, &places[2]);
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Datatype absolute;
    memset(&other, 0, sizeof other);
    MPI_Type_create_struct(3, lengths, places, types, &absolute);  // of addresses: received at MPI_BOTTOM
    MPI_Type_commit(&absolute);
    MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT('z', other.letter);
    CHECK(other.value == 2.25);
    CHECK_INT(-1, first_difference(other.numbers, 3, 9));
    CHECK_INT(sizeof(int) * 3, MPI_Aint_diff(places[0], base));
    MPI_Type_free(&absolute);
  }
  MPI_Type_free(&type);
}

CASE(subarray_of_a_grid) {
  int got[most];
  static const int sizes[] = {6, 8}, inner[] = {3, 4}, start[] = {2, 1};
  for (int order = 0; order < 2; ++order) {
    MPI_Datatype part;
    MPI_Type_create_subarray(2, sizes, inner, start, order == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_INT,
                             &part);
    MPI_Type_commit(&part);
    transfer(counted(), 1, part, got, 12, MPI_INT);
    if (world_rank == 1) {
      for (int i = 0; i < 12; ++i) {
        const int c = (2 + i / 4) * 8 + 1 + i % 4, fortran = (1 + i / 3) * 6 + 2 + i % 3;
        CHECK_INT(order == 0 ? c : fortran, got[i]);
      }
    }
    MPI_Type_free(&part);
  }
}

CASE(subarray_to_subarray) {
  int got[most];
  static const int from_sizes[] = {4, 4}, to_sizes[] = {5, 7}, inner[] = {2, 3}, from_start[] = {1, 1},
                   to_start[] = {3, 2};
  MPI_Datatype from, to;
  MPI_Type_create_subarray(2, from_sizes, inner, from_start, MPI_ORDER_C, MPI_INT, &from);
  MPI_Type_create_subarray(2, to_sizes, inner, to_start, MPI_ORDER_C, MPI_INT, &to);
  MPI_Type_commit(&from);
  MPI_Type_commit(&to);
  transfer(counted(), 1, from, got, 1, to);
  if (world_rank == 1) {
    for (int row = 0; row < 5; ++row) {
      for (int column = 0; column < 7; ++column) {
        const int inside = row >= 3 && column >= 2 && column < 5;
        CHECK_INT(inside ? (row - 2) * 4 + column - 1 : -1, got[row * 7 + column]);
      }
    }
  }
  MPI_Type_free(&from);
  MPI_Type_free(&to);
}

CASE(darray_blocks_and_cyclic) {
  int got[most];
  static const int sizes[] = {6, 6}, grid[] = {2, 1}, arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  static const int how[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
  for (int owner = 0; owner < 2; ++owner) {
    MPI_Datatype part;
    int size = 0;
    MPI_Type_create_darray(2, owner, 2, sizes, how, arguments, grid, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_Type_size(part, &size);
    CHECK_INT(18 * sizeof(int), size);
    transfer(counted(), 1, part, got, 18, MPI_INT);
    if (world_rank == 1) {
      for (int i = 0; i < 18; ++i) CHECK_INT((i / 6 * 2 + owner) * 6 + i % 6, got[i]);
    }
    MPI_Type_free(&part);
  }
}

CASE(resized_extent_interleaves) {
  int got[most];
  MPI_Datatype stretched;
  MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &stretched);
  MPI_Type_commit(&stretched);
  transfer(counted(), 5, stretched, got, most, MPI_INT);
  if (world_rank == 1) {
    for (int i = 0; i < 5; ++i) CHECK_INT(3 * i, got[i]);
  }
  transfer(counted(), 5, MPI_INT, got, 5, stretched);
  if (world_rank == 1) {
    for (int i = 0; i < 15; ++i) CHECK_INT(i % 3 == 0 ? i / 3 : -1, got[i]);
  }
  MPI_Type_free(&stretched);
}

CASE(dup_outlives_the_original) {
  int got[most];
  MPI_Datatype original, copy;
  MPI_Type_vector(3, 1, 2, MPI_INT, &original);
  MPI_Type_commit(&original);
  MPI_Type_dup(original, &copy);  // committed as its original was
  MPI_Type_free(&original);
  transfer(counted(), 1, copy, got, most, MPI_INT);
  if (world_rank == 1) {
    for (int i = 0; i < 3; ++i) CHECK_INT(2 * i, got[i]);
  }
  MPI_Type_free(&copy);
}

CASE(type_freed_while_in_use) {
  int got[most];
  for (int i = 0; i < most; ++i) got[i] = -1;
  MPI_Datatype vector;
  MPI_Request request;
  MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  if (world_rank == 0) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(counted(), 1, vector, 1, 5, MPI_COMM_WORLD, &request);
    MPI_Type_free(&vector);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Irecv(got, 1, vector, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Type_free(&vector);
    MPI_Send(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 6; ++i) CHECK_INT(i % 2 == 0 && i < 5 ? i : -1, got[i]);
  }
}

CASE(pair_types) {
  struct {
    double value;
    int index;
  } pairs[3];
  memset(pairs, 0, sizeof pairs);
  if (world_rank == 0) {
    for (int i = 0; i < 3; ++i) {
      pairs[i].value = i * 1.25;
      pairs[i].index = i + 100;
    }
    MPI_Send(pairs, 3, MPI_DOUBLE_INT, 1, 6, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    int count = -1;
    MPI_Recv(pairs, 3, MPI_DOUBLE_INT, 0, 6, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE_INT, &count);
    CHECK_INT(3, count);
    for (int i = 0; i < 3; ++i) {
      CHECK(pairs[i].value == i * 1.25);
      CHECK_INT(i + 100, pairs[i].index);
    }
  }
}

CASE(large_strided_message) {
  enum { rows = 100000 };
  int* grid = (int*)malloc(rows * 2 * sizeof(int));
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 2 * rows; ++i) grid[i] = world_rank == 0 ? pattern(3, i) : -1;
  if (world_rank == 0) {
    MPI_Send(grid, 1, column, 1, 7, MPI_COMM_WORLD);
  } else {
    int wrong = 0;
    MPI_Recv(grid + 1, 1, column, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; ++i) wrong += grid[2 * i] != -1 || grid[2 * i + 1] != pattern(3, 2 * i);
    CHECK_INT(0, wrong);
  }
  MPI_Type_free(&column);
  free(grid);
}

// Predefined, but by a precision: MPICH has no handles of its own for them.

static MPI_Datatype parameterised(int which) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (which == 0) MPI_Type_create_f90_real(10, 100, &type);
  if (which == 1) MPI_Type_create_f90_integer(9, &type);
  if (which == 2) MPI_Type_create_f90_complex(6, 30, &type);
  return type;
}

CASE(parameterised_types_of_fortran) {
  const int sizes[3] = {8, 4, 8};
  for (int which = 0; which < 3; ++which) {
    MPI_Datatype type = parameterised(which);
    int got[most], size = 0;
    MPI_Type_size(type, &size);
    CHECK_INT(sizes[which], size);
    transfer(counted(), 3, type, got, 3, type);
    if (world_rank == 1)
      for (int i = 0; i < 3 * size / 4; ++i) CHECK_INT(i, got[i]);
  }
}

CASE(types_made_of_parameterised_types) {
  int got[most];
  MPI_Datatype type;
  MPI_Type_vector(2, 1, 2, parameterised(0), &type);  // 8 bytes, a gap, 8 bytes
  MPI_Type_commit(&type);
  transfer(counted(), 1, type, got, 4, MPI_INT);
  if (world_rank == 1) {
    const int expected[4] = {0, 1, 4, 5};
    for (int i = 0; i < 4; ++i) CHECK_INT(expected[i], got[i]);
  }
  MPI_Type_free(&type);
}

CASE(parameterised_types_in_other_calls) {
  MPI_Datatype type = parameterised(0);
  const double out[2] = {world_rank + 1, 0.5};
  double sum[2] = {0, 0}, in[2] = {0, 0};
  MPI_Request request;
  CHECK_OK(MPI_Allreduce(out, sum, 2, type, MPI_SUM, MPI_COMM_WORLD));
  CHECK(sum[0] == 3 && sum[1] == 1);
  CHECK_OK(MPI_Send_init(out, 2, type, 1 - world_rank, 2, MPI_COMM_WORLD, &request));
  MPI_Start(&request);
  CHECK_OK(MPI_Recv(in, 2, type, 1 - world_rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(in[0] == 2 - world_rank && in[1] == 0.5);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}
