// What goes wrong and how the program is told: codes, classes and handlers.
// ranks: 2
#include <mpi.h>

// MPICH 4.0 gives an error that MPI_Wait finds not to the handler of the request's communicator but to that
// of MPI_COMM_WORLD or MPI_COMM_SELF; so these return their errors too, and the cases hold either way.
static MPI_Comm early;  // made before, so that it has no handler of its own
static int initialise(int* argc, char*** argv) {
  const int code = MPI_Init(argc, argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &early);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  return code;
}
#define CONFORMANCE_INIT(argc, argv) initialise(argc, argv)
#include "conformance.h"

// A communicator of its own for each case, whose errors are returned.
static MPI_Comm returning(MPI_Comm parent) {
  MPI_Comm comm;
  MPI_Comm_dup(parent, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

CASE(invalid_ranks) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, world_size, 0, comm));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, -7, 0, comm));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Recv(&value, 1, MPI_INT, world_size, 0, comm, &status));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Isend(&value, 1, MPI_INT, world_size, 0, comm, &request));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Irecv(&value, 1, MPI_INT, -9, 0, comm, &request));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Probe(world_size, 0, comm, &status));
  MPI_Comm_free(&comm);
}

CASE(invalid_tags) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  int value = 0;
  MPI_Status status;
  CHECK_CLASS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -5, comm));
  CHECK_CLASS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, comm));
  CHECK_CLASS(MPI_ERR_TAG, MPI_Recv(&value, 1, MPI_INT, 0, -5, comm, &status));
  MPI_Comm_free(&comm);
}

CASE(invalid_counts) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  int value = 0;
  MPI_Status status;
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Send(&value, -1, MPI_INT, 0, 0, comm));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Recv(&value, -1, MPI_INT, 0, 0, comm, &status));
  MPI_Comm_free(&comm);
}

CASE(invalid_types) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  MPI_Datatype uncommitted;
  int value[2] = {0, 0};
  MPI_Status status;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Send(value, 1, MPI_DATATYPE_NULL, 0, 0, comm));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Send(value, 1, uncommitted, 0, 0, comm));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Recv(value, 1, uncommitted, 0, 0, comm, &status));
  MPI_Type_free(&uncommitted);
  MPI_Comm_free(&comm);
}

CASE(null_buffers) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  MPI_Status status;
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Send(NULL, 1, MPI_INT, 0, 0, comm));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Recv(NULL, 1, MPI_INT, 0, 0, comm, &status));
  MPI_Comm_free(&comm);
}

CASE(null_communicators) {
  // Such an error is MPI_COMM_WORLD's, or in MPI 4 MPI_COMM_SELF's.
  int value = 0;
  CHECK_CLASS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Comm_rank(MPI_COMM_NULL, &value));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE));
}

CASE(truncation_of_a_blocking_receive) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  int values[10];
  fill(values, 10, 1);
  if (world_rank == 0) {
    MPI_Send(values, 10, MPI_INT, 1, 1, comm);
    MPI_Send(values, 2, MPI_INT, 1, 2, comm);
  } else {
    int got[10] = {0};
    MPI_Status status;
    CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(got, 4, MPI_INT, 0, 1, comm, &status));
    CHECK_INT(0, got[4]);  // beyond the buffer nothing is written
    CHECK_OK(MPI_Recv(got, 4, MPI_INT, 0, 2, comm, &status));
    CHECK_INT(-1, first_difference(got, 2, 1));
  }
  MPI_Comm_free(&comm);
}

CASE(truncation_in_wait) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  int values[10] = {0};
  if (world_rank == 0) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 9, comm, MPI_STATUS_IGNORE);
    MPI_Send(values, 10, MPI_INT, 1, 1, comm);
  } else {
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(values, 3, MPI_INT, 0, 1, comm, &request);
    MPI_Send(NULL, 0, MPI_INT, 0, 9, comm);
    CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Wait(&request, &status));
    CHECK_SAME(MPI_REQUEST_NULL, request);
  }
  MPI_Comm_free(&comm);
}

CASE(truncation_of_one_in_waitall) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  int values[10];
  fill(values, 10, 2);
  if (world_rank == 0) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 9, comm, MPI_STATUS_IGNORE);
    for (int tag = 0; tag < 3; ++tag) MPI_Send(values, tag == 1 ? 10 : 2, MPI_INT, 1, tag, comm);
  } else {
    int got[3][2];
    memset(got, 0, sizeof got);
    MPI_Request requests[3];
    MPI_Status statuses[3];
    for (int tag = 0; tag < 3; ++tag) MPI_Irecv(got[tag], 2, MPI_INT, 0, tag, comm, &requests[tag]);
    MPI_Send(NULL, 0, MPI_INT, 0, 9, comm);
    CHECK_CLASS(MPI_ERR_IN_STATUS, MPI_Waitall(3, requests, statuses));
    CHECK_CLASS(MPI_SUCCESS, statuses[0].MPI_ERROR);
    CHECK_CLASS(MPI_ERR_TRUNCATE, statuses[1].MPI_ERROR);
    // The third may have completed beside the failure, or be left pending.
    CHECK(statuses[2].MPI_ERROR == MPI_SUCCESS || statuses[2].MPI_ERROR == MPI_ERR_PENDING);
    CHECK_OK(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
    CHECK_INT(-1, first_difference(got[0], 2, 2));
    CHECK_INT(-1, first_difference(got[2], 2, 2));
  }
  MPI_Comm_free(&comm);
}

CASE(truncation_of_a_large_message) {
  enum { count = 100000 };
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  int* values = (int*)calloc(count, sizeof(int));
  if (world_rank == 0) {
    MPI_Send(values, count, MPI_INT, 1, 1, comm);
  } else {
    CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(values, count / 2, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
  }
  free(values);
  MPI_Comm_free(&comm);
}

static int handled, handled_class;
static MPI_Comm handled_comm;

static void remember(MPI_Comm* comm, int* code, ...) {
  ++handled;
  handled_comm = *comm;
  MPI_Error_class(*code, &handled_class);
}

CASE(user_defined_handler) {
  MPI_Comm comm;
  MPI_Errhandler handler, back;
  int value = 0;
  handled = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK_OK(MPI_Comm_create_errhandler(remember, &handler));
  CHECK_OK(MPI_Comm_set_errhandler(comm, handler));
  MPI_Comm_get_errhandler(comm, &back);
  CHECK_SAME(handler, back);
  MPI_Errhandler_free(&back);
  MPI_Errhandler_free(&handler);
  CHECK_SAME(MPI_ERRHANDLER_NULL, handler);
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, world_size + 3, 0, comm));
  CHECK_INT(1, handled);
  CHECK_INT(MPI_ERR_RANK, handled_class);
  CHECK_SAME(comm, handled_comm);
  MPI_Comm_free(&comm);
}

CASE(handlers_belong_to_their_communicator) {
  MPI_Comm loud, quiet;
  MPI_Errhandler handler;
  int value = 0;
  handled = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &loud);
  quiet = returning(MPI_COMM_WORLD);
  MPI_Comm_create_errhandler(remember, &handler);
  MPI_Comm_set_errhandler(loud, handler);
  CHECK_CLASS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -3, quiet));
  CHECK_INT(0, handled);
  CHECK_CLASS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -3, loud));
  CHECK_INT(1, handled);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&loud);
  MPI_Comm_free(&quiet);
}

CASE(dup_inherits_the_handler) {
  MPI_Comm parent, child;
  MPI_Errhandler handler;
  int value = 0;
  handled = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_errhandler(remember, &handler);
  MPI_Comm_set_errhandler(parent, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_dup(parent, &child);
  MPI_Comm_free(&parent);
  MPI_Send(&value, -1, MPI_INT, 0, 0, child);
  CHECK_INT(1, handled);
  CHECK_INT(MPI_ERR_COUNT, handled_class);
  CHECK_SAME(child, handled_comm);
  MPI_Comm_free(&child);
}

CASE(handler_called_for_truncation) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  int values[10] = {0};
  handled = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(remember, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  if (world_rank == 0) {
    MPI_Send(values, 10, MPI_INT, 1, 1, comm);
  } else {
    CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(values, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
    CHECK_INT(1, handled);
    CHECK_INT(MPI_ERR_TRUNCATE, handled_class);
    CHECK_SAME(comm, handled_comm);
  }
  MPI_Comm_free(&comm);
}

CASE(call_errhandler) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  handled = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(remember, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  CHECK_OK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
  CHECK_INT(1, handled);
  CHECK_INT(MPI_ERR_OTHER, handled_class);
  MPI_Comm_free(&comm);
}

CASE(own_classes_codes_and_strings) {
  int class_added = -1, code = -1, *last_used = NULL, found = 0, length = -1;
  char text[MPI_MAX_ERROR_STRING];
  CHECK_OK(MPI_Add_error_class(&class_added));
  CHECK_OK(MPI_Add_error_code(class_added, &code));
  CHECK_OK(MPI_Add_error_string(code, "out of cheese"));
  CHECK_CLASS(class_added, code);
  CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last_used, &found));
  CHECK(found && *last_used >= class_added);
  CHECK_OK(MPI_Error_string(code, text, &length));
  CHECK_STRING("out of cheese", text);
  MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
  CHECK(length > 0 && (size_t)length == strlen(text));
}

// Of a datatype with gaps only whole elements arrive.
CASE(parts_of_elements) {
  MPI_Comm comm = returning(MPI_COMM_WORLD);
  const int ones[2] = {1, 1}, places[2] = {0, 2};
  const char sent[] = "abcdefgh";
  char got[4 * sizeof(int)] = "";
  MPI_Datatype spread, together;
  MPI_Type_indexed(2, ones, places, MPI_INT, &spread);
  MPI_Type_contiguous(2, MPI_INT, &together);
  MPI_Type_commit(&spread);
  MPI_Type_commit(&together);
  if (world_rank == 0) {
    MPI_Send(sent, 3, MPI_BYTE, 1, 0, comm);
    MPI_Send(sent, 5, MPI_BYTE, 1, 1, comm);
    MPI_Send(sent, 4, MPI_BYTE, 1, 2, comm);
    MPI_Send(sent, 5, MPI_BYTE, 1, 3, comm);
  } else {
    CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(got, 1, spread, 0, 0, comm, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(got, 1, spread, 0, 1, comm, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Recv(got, 1, spread, 0, 2, comm, MPI_STATUS_IGNORE));
    CHECK_STRING("abcd", got);
    CHECK_OK(MPI_Recv(got, 1, together, 0, 3, comm, MPI_STATUS_IGNORE));
    CHECK_STRING("abcde", got);
  }
  MPI_Type_free(&spread);
  MPI_Type_free(&together);
  MPI_Comm_free(&comm);
}

// An object for which the program has set no handler has the one that MPI_COMM_WORLD has by now.

static int calls = 0, class_of_call = -1;
static MPI_Comm comm_of_call = MPI_COMM_NULL;
static void note_call(MPI_Comm* comm, int* code, ...) {
  ++calls;
  comm_of_call = *comm;
  MPI_Error_class(*code, &class_of_call);
}

CASE(communicators_without_a_handler) {
  int value = 0, two[2] = {0, 0}, flag = 0, key;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, world_size, 0, early));
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, -7, early));
  // One that shows only when the message is there:
  MPI_Isend(two, 2, MPI_INT, world_rank, 1, early, &request);
  CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(&value, 1, MPI_INT, world_rank, 1, early, MPI_STATUS_IGNORE));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
  CHECK_CLASS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(early, key, &value));
  CHECK_CLASS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(early, key, &two, &flag));
  MPI_Win_free_keyval(&key);
}

CASE(windows_without_a_handler) {
  int value = 0, memory = 0, key;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, early, &window);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  CHECK_CLASS(MPI_ERR_KEYVAL, MPI_Win_set_attr(window, key, &value));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, world_rank, 0, 1, MPI_INT, window));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(world_rank, window));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, world_size, 0, window));
  MPI_Comm_free_keyval(&key);
  MPI_Win_free(&window);
}

// Whose handler is called for what has none of its own.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40100000
#define GENERAL MPI_COMM_SELF
#define OTHER MPI_COMM_WORLD
#else
#define GENERAL MPI_COMM_WORLD
#define OTHER MPI_COMM_SELF
#endif

CASE(the_general_handler_is_called) {
  MPI_Errhandler handler;
  int value = 0, two[2] = {0, 0};
  MPI_Request request;
  MPI_Comm_create_errhandler(note_call, &handler);
  MPI_Comm_set_errhandler(GENERAL, handler);
  MPI_Send(&value, 1, MPI_INT, world_size, 0, early);
  CHECK_INT(1, calls);
  CHECK_INT(MPI_ERR_RANK, class_of_call);
  CHECK_SAME(GENERAL, comm_of_call);
  MPI_Isend(two, 2, MPI_INT, world_rank, 1, early, &request);
  MPI_Recv(&value, 1, MPI_INT, world_rank, 1, early, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_INT(2, calls);
  CHECK_INT(MPI_ERR_TRUNCATE, class_of_call);
  MPI_Comm_set_errhandler(GENERAL, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
}

// That the other one ends the run concerns nothing that has no handler of its own.
CASE(the_other_handler_is_not_asked) {
  int value = 0, key;
  MPI_Win window;
  MPI_Comm_set_errhandler(OTHER, MPI_ERRORS_ARE_FATAL);
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, world_size, 0, early));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, early, &window);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  CHECK_CLASS(MPI_ERR_KEYVAL, MPI_Win_set_attr(window, key, &value));
  MPI_Comm_free_keyval(&key);
  MPI_Win_free(&window);
  MPI_Comm_set_errhandler(OTHER, MPI_ERRORS_RETURN);
}

// To Open MPI and in the standard ABI a status that is missing is MPI_STATUS_IGNORE.
#if !defined(OPEN_MPI) && !defined(MPI_ABI_VERSION)
CASE(places_that_are_missing) {
  int value = 0, flag = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Group group;
  MPI_Comm_group(early, &group);
  CHECK_CLASS(MPI_ERR_ARG, MPI_Comm_create(early, group, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Isend(&value, 1, MPI_INT, 0, 0, early, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Irecv(&value, 1, MPI_INT, 0, 0, early, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Recv(&value, 1, MPI_INT, 0, 0, early, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Send_init(&value, 1, MPI_INT, 0, 0, early, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Ibcast(&value, 1, MPI_INT, 0, early, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Ibarrier(early, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Iprobe(0, 0, early, NULL, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Test(&request, NULL, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Test(&request, &flag, NULL));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Wait(NULL, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Comm_free(NULL));
  MPI_Group_free(&group);
}
#endif
