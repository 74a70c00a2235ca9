// ranks: 4
// Derived datatypes at either end, and windows with attached memory.
#include "layouts.h"

static int right(void) {
  return (world_rank + 1) % world_size;
}
static int left(void) {
  return (world_rank + world_size - 1) % world_size;
}

static _Alignas(64) int memory[1024];

static MPI_Win filled_window(int value) {
  MPI_Win made;
  for (int i = 0; i < 1024; ++i) memory[i] = value;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  return made;
}

CASE(origins_fill_each_others_gaps) {
  // Each writes its own column of rank 0's table, at once; none may touch another's.
  MPI_Win window = filled_window(-1);
  MPI_Datatype column;
  int out[50];
  MPI_Type_vector(50, 1, world_size, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 50; ++i) out[i] = 100 * i + world_rank;
  MPI_Win_fence(0, window);
  MPI_Put(out, 50, MPI_INT, 0, world_rank, 1, column, window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 50 * world_size && world_rank == 0; ++i)
    CHECK_INT(100 * (i / world_size) + i % world_size, memory[i]);
  CHECK_INT(-1, memory[50 * world_size]);
  MPI_Type_free(&column);
  MPI_Win_free(&window);
}

CASE(accumulate_into_gaps) {
  MPI_Win window = filled_window(1000);
  MPI_Datatype sparse;
  int out[6] = {1, 2, 3, 4, 5, 6};
  MPI_Type_vector(3, 2, 5, MPI_INT, &sparse);
  MPI_Type_commit(&sparse);
  MPI_Win_fence(0, window);
  MPI_Accumulate(out, 6, MPI_INT, 2, 10, 1, sparse, MPI_SUM, window);
  MPI_Win_fence(0, window);
  if (world_rank == 2) {
    for (int block = 0; block < 3; ++block) {
      CHECK_INT(1000 + world_size * (2 * block + 1), memory[10 + 5 * block]);
      CHECK_INT(1000 + world_size * (2 * block + 2), memory[11 + 5 * block]);
      CHECK_INT(1000, memory[12 + 5 * block]);
    }
  }
  MPI_Type_free(&sparse);
  MPI_Win_free(&window);
}

CASE(subarrays_move_a_tile) {
  MPI_Win window = filled_window(0);
  MPI_Datatype there, here;
  const int table[2] = {16, 16}, tile[2] = {4, 5}, at[2] = {3, 7}, whole[2] = {6, 6}, from[2] = {1, 1};
  int source[36], back[36];
  MPI_Type_create_subarray(2, table, tile, at, MPI_ORDER_C, MPI_INT, &there);
  MPI_Type_create_subarray(2, whole, tile, from, MPI_ORDER_C, MPI_INT, &here);
  MPI_Type_commit(&there);
  MPI_Type_commit(&here);
  for (int i = 0; i < 36; ++i) source[i] = 50 * world_rank + i, back[i] = -1;
  MPI_Win_fence(0, window);
  MPI_Put(source, 1, here, right(), 0, 1, there, window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 256; ++i) {
    const int row = i / 16 - 3, column = i % 16 - 7;
    const int inside = row >= 0 && row < 4 && column >= 0 && column < 5;
    CHECK_INT(inside ? 50 * left() + 6 * (row + 1) + column + 1 : 0, memory[i]);
  }
  MPI_Get(back, 1, here, right(), 0, 1, there, window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 36; ++i) {
    const int inside = i / 6 >= 1 && i / 6 < 5 && i % 6 >= 1;
    CHECK_INT(inside ? source[i] : -1, back[i]);
  }
  MPI_Type_free(&here);
  MPI_Type_free(&there);
  MPI_Win_free(&window);
}

CASE(types_freed_before_the_epoch_ends) {
  MPI_Win window = filled_window(-1);
  MPI_Datatype there = make_column_type(4, 3), here = make_column_type(4, 2);
  int out[8], in[8];
  for (int i = 0; i < 8; ++i) out[i] = 10 * world_rank + i, in[i] = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, window);
  MPI_Put(out, 1, here, right(), 0, 1, there, window);
  MPI_Win_flush(right(), window);
  MPI_Get(in, 1, here, right(), 0, 1, there, window);
  MPI_Type_free(&here);
  MPI_Type_free(&there);
  MPI_Win_unlock(right(), window);
  for (int i = 0; i < 8; ++i) CHECK_INT(i % 2 ? -1 : out[i], in[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 12; ++i) CHECK_INT(i % 3 ? -1 : 10 * left() + 2 * (i / 3), memory[i]);
  MPI_Win_free(&window);
}

CASE(pairs_find_the_greatest_and_who_has_it) {
  struct {
    double value;
    int rank;
  } best, mine = {(world_rank * 3) % 4, world_rank};
  MPI_Win window;
  best.value = -1, best.rank = -1;
  MPI_Win_create(&best, sizeof best, sizeof best, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, window);
  MPI_Win_fence(0, window);
  CHECK(best.value == (world_rank == 0 ? 3 : -1));
  CHECK_INT(world_rank == 0 ? 1 : -1, best.rank);
  MPI_Win_free(&window);
}

CASE(the_origins_data_at_absolute_addresses) {
  MPI_Win window = filled_window(-1);
  int first = 11 + world_rank, second = 22 + world_rank;
  const int lengths[2] = {1, 1};
  MPI_Aint places[2];
  MPI_Datatype both;
  MPI_Get_address(&first, &places[0]);
  MPI_Get_address(&second, &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &both);
  MPI_Type_commit(&both);
  MPI_Win_fence(0, window);
  MPI_Put(MPI_BOTTOM, 1, both, right(), 5, 2, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_INT(11 + left(), memory[5]);
  CHECK_INT(22 + left(), memory[6]);
  MPI_Type_free(&both);
  MPI_Win_free(&window);
}

CASE(several_pieces_attached) {
  enum { pieces = 3, length = 32 };
  MPI_Win window;
  int* piece[pieces];
  MPI_Aint mine[pieces], all[8 * pieces];
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int i = 0; i < pieces; ++i) {
    piece[i] = aligned_alloc(64, sizeof(int) * length);
    for (int k = 0; k < length; ++k) piece[i][k] = -1;
    CHECK_OK(MPI_Win_attach(window, piece[i], sizeof(int) * length));
    MPI_Get_address(piece[i], &mine[i]);
  }
  MPI_Allgather(mine, pieces, MPI_AINT, all, pieces, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_fence(0, window);
  for (int i = 0; i < pieces; ++i) {
    const int out[2] = {100 * i + world_rank, i};
    MPI_Win_fence(0, window);
    MPI_Put(out, 2, MPI_INT, right(), MPI_Aint_add(all[pieces * right() + i], 4 * i), 2, MPI_INT, window);
    MPI_Win_fence(0, window);
  }
  const int one = 1;
  MPI_Accumulate(&one, 1, MPI_INT, right(), all[pieces * right() + 1] + 4, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < pieces; ++i) {
    CHECK_INT(100 * i + left() + (i == 1), piece[i][i]);
    CHECK_INT(i, piece[i][i + 1]);
    CHECK_INT(-1, piece[i][i + 2]);
    CHECK_OK(MPI_Win_detach(window, piece[i]));
  }
  MPI_Win_free(&window);
  for (int i = 0; i < pieces; ++i) free(piece[i]);
}

CASE(large_columns) {
  enum { rows = 2000, columns = 7 };
  int* table = aligned_alloc(64, sizeof(int) * rows * columns);
  int* out = malloc(sizeof(int) * rows);
  MPI_Datatype column;
  MPI_Win window;
  memset(table, 0, sizeof(int) * rows * columns);
  MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_create(table, sizeof(int) * rows * columns, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  fill(out, rows, world_rank);
  MPI_Win_fence(0, window);
  MPI_Put(out, rows, MPI_INT, right(), world_rank, 1, column, window);
  MPI_Win_fence(0, window);
  int wrong = 0;
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < columns; ++c)
      wrong += table[columns * i + c] != (c == left() ? pattern(left(), i) : 0);
  CHECK_INT(0, wrong);
  MPI_Type_free(&column);
  MPI_Win_free(&window);
  free(out);
  free(table);
}

#if MPI_VERSION >= 4
CASE(large_count_forms) {
  MPI_Win window;
  int out[4], in[4] = {0}, before[4] = {0};
  for (int i = 0; i < 4; ++i) out[i] = 10 * world_rank + i;
  for (int i = 0; i < 64; ++i) memory[i] = 0;
  CHECK_OK(MPI_Win_create_c(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  MPI_Win_fence(0, window);
  CHECK_OK(MPI_Put_c(out, 4, MPI_INT, right(), 8, 4, MPI_INT, window));
  MPI_Win_fence(0, window);
  CHECK_OK(MPI_Accumulate_c(out, 4, MPI_INT, right(), 8, 4, MPI_INT, MPI_SUM, window));
  MPI_Win_fence(0, window);
  CHECK_OK(MPI_Get_c(in, 4, MPI_INT, right(), 8, 4, MPI_INT, window));
  MPI_Win_fence(0, window);
  CHECK_OK(
      MPI_Get_accumulate_c(out, 4, MPI_INT, before, 4, MPI_INT, right(), 8, 4, MPI_INT, MPI_REPLACE, window));
  MPI_Win_fence(0, window);
  for (int i = 0; i < 4; ++i) {
    CHECK_INT(2 * out[i], in[i]);
    CHECK_INT(2 * out[i], before[i]);
    CHECK_INT(10 * left() + i, memory[8 + i]);
  }
  MPI_Win_free(&window);
}
#endif
