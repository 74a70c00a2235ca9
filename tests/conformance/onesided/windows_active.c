// ranks: 5
// Windows with active targets: fences, and post-start-complete-wait.
#include "layouts.h"

/// MPICH 4.0.2 over UCX shifts a created window whose memory isn't aligned so far that it reads and writes
/// beside it.
#define WINDOW_MEMORY _Alignas(64)

static int right(void) {
  return (world_rank + 1) % world_size;
}
static int left(void) {
  return (world_rank + world_size - 1) % world_size;
}

static MPI_Win window_over(void* base, size_t bytes, int unit) {
  MPI_Win made;
  MPI_Win_create(base, (MPI_Aint)bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  return made;
}

/// The group of the given world ranks.
static MPI_Group group_of(int count, const int* ranks) {
  MPI_Group world, made;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, ranks, &made);
  MPI_Group_free(&world);
  return made;
}

CASE(put_to_the_right_between_fences) {
  WINDOW_MEMORY int memory[4] = {-1, -1, -1, -1};
  MPI_Win window = window_over(memory, sizeof memory, sizeof(int));
  const int out[2] = {10 * world_rank, 10 * world_rank + 1};
  CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, window));
  CHECK_OK(MPI_Put(out, 2, MPI_INT, right(), 1, 2, MPI_INT, window));
  CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
  CHECK_INT(-1, memory[0]);
  CHECK_INT(10 * left(), memory[1]);
  CHECK_INT(10 * left() + 1, memory[2]);
  CHECK_INT(-1, memory[3]);
  DIGEST(memory, sizeof memory);
  CHECK_OK(MPI_Win_free(&window));
  CHECK_SAME(MPI_WIN_NULL, window);
}

CASE(get_from_everyone) {
  WINDOW_MEMORY int mine = 7 * world_rank;
  int got[8];
  MPI_Win window = window_over(&mine, sizeof mine, sizeof(int));
  MPI_Win_fence(0, window);
  for (int r = 0; r < world_size; ++r) MPI_Get(&got[r], 1, MPI_INT, r, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  for (int r = 0; r < world_size; ++r) CHECK_INT(7 * r, got[r]);
  MPI_Win_free(&window);
}

CASE(put_and_get_large) {
  enum { count = 100000 };
  int* memory = aligned_alloc(64, sizeof(int) * count);
  int* mine = malloc(sizeof(int) * count);
  int* back = malloc(sizeof(int) * count);
  MPI_Win window = window_over(memory, sizeof(int) * count, sizeof(int));
  fill(mine, count, world_rank);
  MPI_Win_fence(0, window);
  MPI_Put(mine, count, MPI_INT, right(), 0, count, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_INT(-1, first_difference(memory, count, left()));
  MPI_Get(back, count, MPI_INT, right(), 0, count, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_INT(-1, first_difference(back, count, world_rank));
  MPI_Win_free(&window);
  free(memory);
  free(mine);
  free(back);
}

CASE(accumulate_by_all_is_exact) {
  WINDOW_MEMORY double memory[3] = {0.5, 100, -100};
  MPI_Win window = window_over(memory, sizeof memory, sizeof(double));
  const double one[3] = {1, world_rank, world_rank};
  MPI_Win_fence(0, window);
  for (int i = 0; i < 10; ++i) {
    MPI_Accumulate(one, 1, MPI_DOUBLE, 2, 0, 1, MPI_DOUBLE, MPI_SUM, window);
  }
  MPI_Accumulate(one + 1, 1, MPI_DOUBLE, 2, 1, 1, MPI_DOUBLE, MPI_MIN, window);
  MPI_Accumulate(one + 2, 1, MPI_DOUBLE, 2, 2, 1, MPI_DOUBLE, MPI_MAX, window);
  MPI_Win_fence(0, window);
  CHECK(memory[0] == (world_rank == 2 ? 50.5 : 0.5));
  CHECK(memory[1] == (world_rank == 2 ? 0 : 100));
  CHECK(memory[2] == (world_rank == 2 ? 4 : -100));
  MPI_Win_free(&window);
}

CASE(accumulate_operators_on_integers) {
  const MPI_Op ops[] = {MPI_BOR, MPI_BXOR, MPI_BAND, MPI_PROD, MPI_LOR, MPI_LAND};
  const int start[] = {0, 0, 0xff, 1, 0, 1}, expected[] = {0x1f, 0x1f, 0, 120, 1, 1};
  WINDOW_MEMORY int memory[6];
  memcpy(memory, start, sizeof memory);
  MPI_Win window = window_over(memory, sizeof memory, sizeof(int));
  MPI_Win_fence(0, window);
  for (int i = 0; i < 6; ++i) {
    const int value = i < 3 ? 1 << world_rank : world_rank + 1;
    MPI_Accumulate(&value, 1, MPI_INT, 4, i, 1, MPI_INT, ops[i], window);
    MPI_Win_fence(0, window);
  }
  for (int i = 0; i < 6; ++i) CHECK_INT(world_rank == 4 ? expected[i] : start[i], memory[i]);
  MPI_Win_free(&window);
}

CASE(columns_to_rows) {
  // A column here becomes a row there, and the other way round for Get.
  WINDOW_MEMORY int there[20];
  int here[20], back[20];
  MPI_Datatype column = make_column_type(5, 4);
  for (int i = 0; i < 20; ++i) here[i] = 100 * world_rank + i, there[i] = back[i] = -1;
  MPI_Win window = window_over(there, sizeof there, sizeof(int));
  MPI_Win_fence(0, window);
  MPI_Put(here + 2, 1, column, right(), 10, 5, MPI_INT, window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 20; ++i) CHECK_INT(i >= 10 && i < 15 ? 100 * left() + 4 * (i - 10) + 2 : -1, there[i]);
  MPI_Get(back, 1, column, right(), 10, 5, MPI_INT, window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 20; ++i) CHECK_INT(i % 4 ? -1 : 100 * world_rank + i + 2, back[i]);
  MPI_Type_free(&column);
  MPI_Win_free(&window);
}

CASE(records_put_into_a_column_of_records) {
  MPI_Datatype type = make_record_type(), sparse;
  MPI_Type_vector(3, 1, 2, type, &sparse);
  MPI_Type_commit(&sparse);
  WINDOW_MEMORY struct record memory[6];
  struct record mine[3];
  for (int i = 0; i < 6; ++i) memory[i] = record_of(0, 0);
  for (int i = 0; i < 3; ++i) mine[i] = record_of(world_rank + 1, i);
  MPI_Win window = window_over(memory, sizeof memory, 1);
  MPI_Win_fence(0, window);
  MPI_Put(mine, 3, type, right(), sizeof(struct record), 1, sparse, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Type_free(&sparse);
  MPI_Type_free(&type);
  for (int i = 0; i < 6; ++i) {
    CHECK(same_record(i % 2 ? record_of(left() + 1, i / 2) : record_of(0, 0), memory[i]));
  }
}

CASE(zero_sized_windows_and_transfers) {
  WINDOW_MEMORY int unused = 5;
  MPI_Win window = window_over(world_rank == 0 ? &unused : NULL, world_rank == 0 ? sizeof unused : 0, 1);
  MPI_Win_fence(0, window);
  MPI_Put(NULL, 0, MPI_INT, right(), 0, 0, MPI_INT, window);
  MPI_Get(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, window);
  MPI_Put(&unused, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_INT(5, unused);
  MPI_Win_free(&window);
}

CASE(many_epochs_pass_a_counter_round) {
  WINDOW_MEMORY int memory = world_rank == 0 ? 1 : 0;
  MPI_Win window = window_over(&memory, sizeof memory, sizeof(int));
  MPI_Win_fence(0, window);
  for (int round = 0; round < 15; ++round) {
    const int out = memory + 1;
    if (world_rank == round % world_size) MPI_Put(&out, 1, MPI_INT, right(), 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
  }
  if (world_rank == 0) CHECK_INT(16, memory);
  MPI_Win_free(&window);
}

CASE(post_start_complete_wait_on_a_ring) {
  WINDOW_MEMORY int memory[2] = {-1, -1};
  MPI_Win window = window_over(memory, sizeof memory, sizeof(int));
  const int from[1] = {left()}, to[1] = {right()};
  MPI_Group origins = group_of(1, from), targets = group_of(1, to);
  for (int round = 0; round < 3; ++round) {
    const int out = 100 * round + world_rank;
    CHECK_OK(MPI_Win_post(origins, 0, window));
    CHECK_OK(MPI_Win_start(targets, 0, window));
    MPI_Put(&out, 1, MPI_INT, right(), round % 2, 1, MPI_INT, window);
    CHECK_OK(MPI_Win_complete(window));
    CHECK_OK(MPI_Win_wait(window));
    CHECK_INT(100 * round + left(), memory[round % 2]);
  }
  MPI_Group_free(&origins);
  MPI_Group_free(&targets);
  MPI_Win_free(&window);
}

CASE(one_target_many_origins_and_win_test) {
  WINDOW_MEMORY int memory[8] = {0};
  MPI_Win window = window_over(memory, sizeof memory, sizeof(int));
  const int others[4] = {1, 2, 3, 4}, target[1] = {0};
  if (world_rank == 0) {
    MPI_Group group = group_of(4, others);
    int done = 0;
    MPI_Win_post(group, 0, window);
    while (!done) MPI_Win_test(window, &done);
    for (int r = 1; r < world_size; ++r) CHECK_INT(50 + r, memory[r]);
    CHECK_INT(10, memory[0]);
    MPI_Group_free(&group);
  } else {
    MPI_Group group = group_of(1, target);
    const int out = 50 + world_rank;
    MPI_Win_start(group, 0, window);
    MPI_Put(&out, 1, MPI_INT, 0, world_rank, 1, MPI_INT, window);
    MPI_Accumulate(&world_rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_complete(window);
    MPI_Group_free(&group);
  }
  MPI_Win_free(&window);
}

CASE(get_accumulate_under_fence) {
  WINDOW_MEMORY int memory = 1000 + world_rank;
  int before = -1;
  MPI_Win window = window_over(&memory, sizeof memory, sizeof(int));
  MPI_Win_fence(0, window);
  MPI_Get_accumulate(&world_rank, 1, MPI_INT, &before, 1, MPI_INT, right(), 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK_INT(1000 + right(), before);
  CHECK_INT(1000 + world_rank + left(), memory);
  MPI_Win_free(&window);
}

CASE(window_attributes_group_and_name) {
  WINDOW_MEMORY int memory[6];
  int found = 0, length = 0, size = 0;
  MPI_Win window = window_over(memory, sizeof memory, sizeof(int));
  void* base = NULL;
  MPI_Aint* bytes = NULL;
  int* unit = NULL;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &found);
  CHECK(found && base == memory);
  MPI_Win_get_attr(window, MPI_WIN_SIZE, &bytes, &found);
  CHECK(found && *bytes == (MPI_Aint)sizeof memory);
  MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &found);
  CHECK(found && *unit == (int)sizeof(int));
  MPI_Win_set_name(window, "pane");
  MPI_Win_get_name(window, name, &length);
  CHECK_STRING("pane", name);
  MPI_Group group;
  MPI_Win_get_group(window, &group);
  MPI_Group_size(group, &size);
  CHECK_INT(world_size, size);
  MPI_Group_free(&group);
  MPI_Win_free(&window);
}

CASE(two_windows_on_different_communicators) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank < 2, world_rank, &part);
  int rank = 0, size = 0;
  WINDOW_MEMORY int first = -1;
  WINDOW_MEMORY int second = -1;
  MPI_Comm_rank(part, &rank);
  MPI_Comm_size(part, &size);
  MPI_Win whole = window_over(&first, sizeof first, sizeof(int)), partial;
  MPI_Win_create(&second, sizeof second, sizeof(int), MPI_INFO_NULL, part, &partial);
  MPI_Win_fence(0, whole);
  MPI_Win_fence(0, partial);
  const int out = 10 * world_rank;
  MPI_Put(&world_rank, 1, MPI_INT, right(), 0, 1, MPI_INT, whole);
  MPI_Put(&out, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, partial);
  MPI_Win_fence(0, partial);
  MPI_Win_fence(0, whole);
  CHECK_INT(left(), first);
  const int first_rank = world_rank - rank;
  CHECK_INT(10 * (first_rank + (rank + size - 1) % size), second);
  MPI_Win_free(&partial);
  MPI_Win_free(&whole);
  MPI_Comm_free(&part);
}
