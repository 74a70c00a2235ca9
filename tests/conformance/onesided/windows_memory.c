// ranks: 4
// Where a window's memory comes from: allocated, shared, attached later; and sizes and units that differ.
#include "conformance.h"

CASE(allocate_with_another_size_on_every_rank) {
  int* memory = NULL;
  MPI_Win window;
  const MPI_Aint count = 1024 * (world_rank + 1);
  CHECK_OK(MPI_Win_allocate(count * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &memory, &window));
  for (int i = 0; i < count; ++i) memory[i] = -1;
  MPI_Win_fence(0, window);
  for (int r = 0; r < world_size; ++r) {
    // Everyone writes into the last places of everyone.
    const MPI_Aint place = 1024 * (r + 1) - 1 - world_rank;
    MPI_Put(&world_rank, 1, MPI_INT, r, place, 1, MPI_INT, window);
  }
  MPI_Win_fence(0, window);
  for (int r = 0; r < world_size; ++r) CHECK_INT(r, memory[count - 1 - r]);
  CHECK_INT(-1, memory[count - 1 - world_size]);
  MPI_Win_free(&window);
}

CASE(another_displacement_unit_on_every_rank) {
  unsigned char* memory = NULL;
  MPI_Win window;
  const int unit = 1 << world_rank;  // 1, 2, 4, 8 bytes
  MPI_Win_allocate(4096, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, 64);
  const unsigned char out = (unsigned char)(1 + world_rank);
  MPI_Win_fence(0, window);
  for (int r = 0; r < world_size; ++r) MPI_Put(&out, 1, MPI_BYTE, r, world_rank + 1, 1, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  for (int r = 0; r < world_size; ++r) CHECK_INT(1 + r, memory[(r + 1) * unit]);
  CHECK_INT(0, memory[0]);
  MPI_Win_free(&window);
}

CASE(shared_memory_is_read_without_a_call) {
  // The ranks that share depend on the machine; each reads its left neighbour among them.
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank, size, unit = 0, *mine = NULL, *other = NULL;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &size);
  MPI_Win window;
  CHECK_OK(MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &window));
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  mine[0] = 500 + rank;
  mine[1] = 600 + rank;
  MPI_Win_sync(window);
  MPI_Barrier(node);
  MPI_Win_sync(window);
  MPI_Aint bytes = 0;
  const int left = (rank + size - 1) % size;
  MPI_Win_shared_query(window, left, &bytes, &unit, &other);
  CHECK_INT(2 * sizeof(int), bytes);
  CHECK_INT(sizeof(int), unit);
  CHECK_INT(500 + left, other[0]);
  CHECK_INT(600 + left, other[1]);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
}

CASE(shared_memory_takes_puts_too) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank, size, *mine = NULL;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &size);
  MPI_Win window;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &window);
  *mine = -1;
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_INT((rank + size - 1) % size, *mine);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
}

CASE(dynamic_window_attach_and_detach) {
  MPI_Win window;
  CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  int* memory = aligned_alloc(64, 64);
  for (int i = 0; i < 16; ++i) memory[i] = -1;
  CHECK_OK(MPI_Win_attach(window, memory, 64));
  MPI_Aint mine, all[8];
  MPI_Get_address(memory, &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
  const int to = (world_rank + 1) % world_size, out[2] = {world_rank, 9};
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
  MPI_Put(out, 2, MPI_INT, to, MPI_Aint_add(all[to], 3 * (MPI_Aint)sizeof(int)), 2, MPI_INT, window);
  MPI_Win_unlock(to, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window);
  CHECK_INT((world_rank + world_size - 1) % world_size, memory[3]);
  CHECK_INT(9, memory[4]);
  CHECK_INT(-1, memory[5]);
  MPI_Win_unlock(world_rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(MPI_Win_detach(window, memory));
  MPI_Win_free(&window);
  free(memory);
}

CASE(flavours) {
  int *memory = NULL, *flavour = NULL, found = 0;
  MPI_Win allocated, dynamic;
  MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &allocated);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_get_attr(allocated, MPI_WIN_CREATE_FLAVOR, &flavour, &found);
  CHECK(found && *flavour == MPI_WIN_FLAVOR_ALLOCATE);
  MPI_Win_get_attr(dynamic, MPI_WIN_CREATE_FLAVOR, &flavour, &found);
  CHECK(found && *flavour == MPI_WIN_FLAVOR_DYNAMIC);
  MPI_Win_free(&dynamic);
  MPI_Win_free(&allocated);
}

CASE(thirty_windows_made_and_freed) {
  int wrong = 0;
  for (int i = 0; i < 30; ++i) {
    int* memory = NULL;
    MPI_Win window;
    MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    const int out = i + world_rank;
    MPI_Win_fence(0, window);
    MPI_Put(&out, 1, MPI_INT, (world_rank + 1) % world_size, i % 16, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    wrong += memory[i % 16] != i + (world_rank + world_size - 1) % world_size;
    MPI_Win_free(&window);
  }
  CHECK_INT(0, wrong);
}

static int deleted = 0;
static int count_deletion(MPI_Win window, int key, void* value, void* extra) {
  (void)window, (void)key;
  deleted += *(int*)value + *(int*)extra;
  return MPI_SUCCESS;
}

CASE(attributes_end_with_their_window) {
  MPI_Win window;
  int *memory = NULL, key, value = 5, extra = 30, *found = NULL, flag = 0;
  MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_deletion, &key, &extra);
  MPI_Win_set_attr(window, key, &value);
  MPI_Win_get_attr(window, key, &found, &flag);
  CHECK(flag && found == &value);
  CHECK_INT(0, deleted);
  MPI_Win_free(&window);
  CHECK_INT(35, deleted);
  MPI_Win_free_keyval(&key);
}

CASE(hints_are_kept) {
  MPI_Info given, kept;
  MPI_Win window;
  int* memory = NULL;
  char value[32] = "";
  int found = 0;
  MPI_Info_create(&given);
  MPI_Info_set(given, "no_locks", "true");
  MPI_Win_allocate(4096, 1, given, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_get_info(window, &kept);
  MPI_Info_get(kept, "no_locks", 31, value, &found);
  CHECK_INT(1, found);
  CHECK_STRING("true", value);
  MPI_Info_free(&kept);
  MPI_Info_free(&given);
  MPI_Win_free(&window);
}

CASE(windows_of_part_of_the_ranks) {
  // Members have other numbers in the window than in the world.
  MPI_Comm part;
  MPI_Win window;
  int *memory = NULL, rank, size;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &part);
  MPI_Comm_rank(part, &rank);
  MPI_Comm_size(part, &size);
  MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, part, &memory, &window);
  MPI_Comm_free(&part);  // the window lives on
  memory[0] = -1;
  MPI_Win_fence(0, window);
  MPI_Put(&world_rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK_INT((world_rank + 2) % 4, memory[0]);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, window);
  MPI_Accumulate(&world_size, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock((rank + 1) % size, window);
  MPI_Win_fence(0, window);
  CHECK_INT((world_rank + 2) % 4 + 4, memory[0]);
  MPI_Win_free(&window);
}

CASE(windows_of_no_memory) {
  int* memory = &world_rank;
  void* base = &world_rank;
  int found = 0;
  MPI_Win window;
  CHECK_OK(MPI_Win_allocate(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
  CHECK(memory == NULL);
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &found);
  CHECK(found && base == NULL);
  MPI_Win_fence(0, window);
  MPI_Win_fence(0, window);
  CHECK_OK(MPI_Win_free(&window));
  CHECK_OK(MPI_Win_create(&found, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &found);
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
  CHECK(found && base == &found);
#else
  CHECK(found && base == NULL);  // MPICH 4.0 keeps no place of no bytes
#endif
  CHECK_OK(MPI_Win_free(&window));
  CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK_OK(MPI_Win_free(&window));
}

CASE(memory_of_the_first_rank_only) {
  int* memory = NULL;
  MPI_Win window;
  CHECK_OK(MPI_Win_allocate(world_rank == 0 ? 4 * (MPI_Aint)sizeof(int) : 0, sizeof(int), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &memory, &window));
  CHECK_INT(world_rank == 0, memory != NULL);
  MPI_Win_fence(0, window);
  MPI_Put(&world_rank, 1, MPI_INT, 0, world_rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  for (int r = 0; world_rank == 0 && r < world_size; ++r) CHECK_INT(r, memory[r]);
  CHECK_OK(MPI_Win_free(&window));
}
