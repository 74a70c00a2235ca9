// ranks: 2
// Windows used wrongly: arguments that are not valid, and calls that do not fit the epoch.
#include "conformance.h"

static _Alignas(64) int memory[256];

static MPI_Win returning_window(void) {
  MPI_Win made;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

static MPI_Group group_of_rank(int rank) {
  MPI_Group world, made;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &rank, &made);
  MPI_Group_free(&world);
  return made;
}

CASE(arguments_of_creation) {
  MPI_Win made = MPI_WIN_NULL;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_SIZE, MPI_Win_create(memory, -4, 4, MPI_INFO_NULL, comm, &made));
  CHECK_CLASS(MPI_ERR_DISP, MPI_Win_create(memory, 64, 0, MPI_INFO_NULL, comm, &made));
  MPI_Comm_free(&comm);
}

CASE(arguments_of_accesses) {
  MPI_Win window = returning_window();
  int x = 1, y = 2, z = 3;
  MPI_Win_fence(0, window);
  CHECK_CLASS(MPI_ERR_RANK, MPI_Put(&x, 1, MPI_INT, world_size, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Get(&x, 1, MPI_INT, -7, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Get(&x, 1, MPI_INT, 0, 0, -1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Put(&x, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, window));
  CHECK_CLASS(MPI_ERR_DISP, MPI_Put(&x, 1, MPI_INT, 0, -5, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_OP, MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, window));
  CHECK_CLASS(MPI_ERR_OP, MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window));
  CHECK_CLASS(MPI_ERR_OP, MPI_Fetch_and_op(&x, &y, MPI_INT, 0, 0, MPI_OP_NULL, window));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Compare_and_swap(&x, &y, &z, MPI_DOUBLE, 0, 0, window));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_free(&window);
}

static void add_nothing(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}

CASE(operators_of_users) {
  MPI_Win window = returning_window();
  MPI_Op op;
  int x = 1;
  MPI_Op_create(add_nothing, 1, &op);
  MPI_Win_fence(0, window);
  CHECK_CLASS(MPI_ERR_OP, MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, op, window));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Op_free(&op);
  MPI_Win_free(&window);
}

CASE(arguments_of_synchronisation) {
  MPI_Win window = returning_window();
  CHECK_CLASS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, world_size, 0, window));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, window));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Win_lock_all(MPI_MODE_NOPUT, window));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Win_fence(MPI_MODE_NOCHECK, window));
  CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, window));
  CHECK_OK(MPI_Win_unlock(MPI_PROC_NULL, window));
  MPI_Win_free(&window);
}

CASE(calls_outside_of_any_epoch) {
  MPI_Win window = returning_window();
  MPI_Request request = MPI_REQUEST_NULL;
  int x = 1, flag = 0;
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Put(&x, 0, MPI_INT, 0, 0, 0, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, window, &request));
  CHECK_OK(MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_complete(window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_wait(window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_test(window, &flag));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush_all(window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush_local(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush_local_all(window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_sync(window));
  MPI_Win_free(&window);
}

CASE(calls_in_a_lock) {
  MPI_Win window = returning_window();
  MPI_Group self = group_of_rank(world_rank);
  MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window);
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_start(self, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(window));
  CHECK_OK(MPI_Win_sync(window));
  CHECK_OK(MPI_Win_unlock(world_rank, window));
  MPI_Group_free(&self);
  MPI_Win_free(&window);
}

CASE(calls_in_locks_of_all) {
  MPI_Win window = returning_window();
  MPI_Win_lock_all(0, window);
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_free(&window));
  CHECK_OK(MPI_Win_flush(0, window));
  CHECK_OK(MPI_Win_unlock_all(window));
  CHECK_OK(MPI_Win_free(&window));
}

CASE(calls_between_fences) {
  MPI_Win window = returning_window();
  MPI_Group self = group_of_rank(world_rank);
  const int x = 5;
  MPI_Win_fence(0, window);
  // A fence alone begins nothing that would be in the way of a lock.
  CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window));
  CHECK_OK(MPI_Win_unlock(world_rank, window));
  CHECK_OK(MPI_Win_fence(0, window));
  CHECK_OK(MPI_Put(&x, 1, MPI_INT, world_rank, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush(world_rank, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_start(self, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_post(self, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_complete(window));
  CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Put(&x, 1, MPI_INT, world_rank, 0, 1, MPI_INT, window));
  CHECK_INT(5, memory[0]);
  MPI_Group_free(&self);
  MPI_Win_free(&window);
}

CASE(calls_between_start_and_complete) {
  MPI_Win window = returning_window();
  MPI_Group self = group_of_rank(world_rank);
  const int x = 5;
  CHECK_OK(MPI_Win_post(self, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_post(self, 0, window));
  CHECK_OK(MPI_Win_start(self, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Put(&x, 1, MPI_INT, 1 - world_rank, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush(world_rank, window));
  CHECK_OK(MPI_Win_complete(window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, window));
  CHECK_OK(MPI_Win_wait(window));
  MPI_Group_free(&self);
  MPI_Win_free(&window);
}

CASE(flavours_that_do_not_fit) {
  MPI_Win window = returning_window(), dynamic;
  MPI_Aint size;
  int unit, *base;
  CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(window, memory, 4));
  MPI_Win_free(&window);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(dynamic, 0, &size, &unit, &base));
  CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(dynamic, world_rank, &size, &unit, &base));
  MPI_Win_free(&dynamic);
}

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
// MPI 4.1: a rank is shown what it can reach by loads and stores, which is its own part, and nothing of others.
static void check_part(MPI_Win window, int rank, MPI_Aint expected_size, int expected_unit, const void* expected) {
  MPI_Aint size = -1;
  int unit = -1, *base = &unit;
  CHECK_OK(MPI_Win_shared_query(window, rank, &size, &unit, &base));
  CHECK_INT(expected_size, size);
  CHECK_INT(expected_unit, unit);
  CHECK(base == expected);
}

CASE(windows_that_are_not_shared) {
  MPI_Win created = returning_window(), allocated;
  MPI_Aint size = -1;
  int unit = -1, *base = NULL;
  MPI_Win_allocate(8 * (world_rank + 1), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &allocated);
  check_part(created, world_rank, sizeof memory, sizeof(int), memory);
  check_part(created, 1 - world_rank, 0, 0, NULL);
  check_part(created, MPI_PROC_NULL, 0, 0, NULL);
  check_part(allocated, world_rank, 8 * (world_rank + 1), 4, base);
  check_part(allocated, 1 - world_rank, 0, 0, NULL);
  CHECK_CLASS(MPI_ERR_RANK, MPI_Win_shared_query(created, world_size, &size, &unit, &base));
  MPI_Win_free(&allocated);
  MPI_Win_free(&created);
}
#else
CASE(windows_that_are_not_shared) {
  MPI_Win window = returning_window();
  MPI_Aint size;
  int unit, *base;
  CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(window, 0, &size, &unit, &base));
  CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(window, 1, &size, &unit, &base));
  MPI_Win_free(&window);
}
#endif

static int handler_calls = 0, handler_class = 0;
static void count_errors(MPI_Win* window, int* code, ...) {
  (void)window;
  ++handler_calls;
  MPI_Error_class(*code, &handler_class);
}

CASE(a_windows_own_error_handler) {
  MPI_Win window = returning_window();
  MPI_Errhandler handler;
  int x = 1;
  MPI_Win_create_errhandler(count_errors, &handler);
  MPI_Win_set_errhandler(window, handler);
  MPI_Win_unlock(0, window);
  CHECK_INT(1, handler_calls);
  CHECK_INT(MPI_ERR_RMA_SYNC, handler_class);
  MPI_Put(&x, 1, MPI_INT, world_size, 0, 1, MPI_INT, window);
  CHECK_INT(2, handler_calls);
  CHECK_INT(MPI_ERR_RANK, handler_class);
  MPI_Errhandler_free(&handler);
  MPI_Win_free(&window);
}
