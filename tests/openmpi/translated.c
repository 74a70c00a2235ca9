// A program as one built for Open MPI is, of 3 ranks: each check has the value that MPI promises. It must
// pass over Open MPI itself, too.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

static int rank, size, failures;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++failures;                                                             \
      printf("rank %d: line %d: %s is not so\n", rank, __LINE__, #condition); \
    }                                                                         \
  } while (0)

static void messages(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int sent[2] = {rank, 10 * rank}, received[4] = {-1, -1, -1, -1}, count = -1, index = -1, flag = -1;
  Handle requests[3];
  Status statuses[3];
  memset(statuses, 0x55, sizeof statuses);
  EXPECT(MPI_Irecv(received, 4, INT, ANY_SOURCE, ANY_TAG, WORLD, &requests[0]) == 0);
  EXPECT(MPI_Isend(sent, 2, INT, right, 7, WORLD, &requests[1]) == 0);
  requests[2] = NO_REQUEST;
  EXPECT(requests[0] != NO_REQUEST && requests[0] != requests[1]);
  EXPECT(MPI_Waitall(3, requests, statuses) == 0);
  for (int i = 0; i < 3; ++i) EXPECT(requests[i] == NO_REQUEST);
  EXPECT(statuses[0].source == left && statuses[0].tag == 7 && received[1] == 10 * left);
  EXPECT(MPI_Get_count(&statuses[0], INT, &count) == 0 && count == 2);
  EXPECT(statuses[2].source == ANY_SOURCE && statuses[2].tag == ANY_TAG);
  EXPECT(MPI_Testall(3, requests, &flag, NULL) == 0 && flag == 1);
  EXPECT(MPI_Waitany(3, requests, &index, &statuses[0]) == 0 && index == UNDEFINED);

  Status of_nobody;
  EXPECT(MPI_Recv(received, 4, INT, PROC_NULL, 3, WORLD, &of_nobody) == 0);
  EXPECT(of_nobody.source == PROC_NULL && of_nobody.tag == ANY_TAG && of_nobody.bytes == 0);

  // Persistent requests stay what they are when they have completed.
  EXPECT(MPI_Recv_init(received, 1, INT, left, 8, WORLD, &requests[0]) == 0);
  EXPECT(MPI_Send_init(sent, 1, INT, right, 8, WORLD, &requests[1]) == 0);
  const Handle kept = requests[0];
  for (int round = 0; round < 3; ++round) {
    sent[0] = rank + 100 * round;
    int done = 0, indices[2];
    EXPECT(MPI_Startall(2, requests) == 0);
    for (int all = 0; all < 2; all += done) EXPECT(MPI_Waitsome(2, requests, &done, indices, statuses) == 0);
    EXPECT(received[0] == left + 100 * round && requests[0] == kept);
  }
  EXPECT(MPI_Request_free(&requests[0]) == 0 && requests[0] == NO_REQUEST);
  EXPECT(MPI_Request_free(&requests[1]) == 0);

  Handle message = NULL;
  EXPECT(MPI_Isend(sent, 2, INT, right, 9, WORLD, &requests[0]) == 0);
  EXPECT(MPI_Mprobe(left, 9, WORLD, &message, &statuses[0]) == 0 && message != NO_MESSAGE);
  EXPECT(MPI_Mrecv(received, 2, INT, &message, NULL) == 0 && message == NO_MESSAGE &&
         received[0] == left + 200);
  EXPECT(MPI_Wait(&requests[0], NULL) == 0);
  message = NO_MESSAGE;
  EXPECT(MPI_Improbe(left, 4711, WORLD, &flag, &message, NULL) == 0 && flag == 0 && message == NO_MESSAGE);
}

static int queries, frees;
static int query(void* extra, Status* status) {
  ++queries;
  MPI_Status_set_elements(status, INT, 5);
  MPI_Status_set_cancelled(status, 0);
  status->source = *(int*)extra;
  status->tag = 6;
  return 0;
}
static int release(void* extra) {
  frees += *(int*)extra;
  return 0;
}
static int cancel(void* extra, int completed) {
  (void)extra;
  return completed;
}

static void generalised_request(void) {
  static int extra = 4;
  int count = -1;
  Handle request = NULL;
  Status status;
  EXPECT(MPI_Grequest_start(query, release, cancel, &extra, &request) == 0);
  EXPECT(MPI_Grequest_complete(request) == 0);
  EXPECT(MPI_Wait(&request, &status) == 0 && request == NO_REQUEST);
  EXPECT(MPI_Get_count(&status, INT, &count) == 0 && count == 5);
  EXPECT(status.source == 4 && status.tag == 6 && queries == 1 && frees == 4);
}

static int calls_of_operator;
static void larger_by_one(void* in, void* in_and_out, int* length, Handle* type) {
  if (*type == INT) ++calls_of_operator;
  for (int i = 0; i < *length; ++i) {
    const int a = ((int*)in)[i], b = ((int*)in_and_out)[i];
    ((int*)in_and_out)[i] = (a > b ? a : b) + 1;
  }
}

static void collectives(void) {
  double sum = rank + 1;
  EXPECT(MPI_Allreduce(IN_PLACE, &sum, 1, DOUBLE, SUM, WORLD) == 0 && sum == 6);
  Handle op = NULL;
  const int mine = 10 * rank;
  int most = -1;
  EXPECT(MPI_Op_create(larger_by_one, 1, &op) == 0);
  EXPECT(MPI_Allreduce(&mine, &most, 1, INT, op, WORLD) == 0);
  int all_calls = 0;  // not every member has to combine something
  EXPECT(MPI_Allreduce(&calls_of_operator, &all_calls, 1, INT, SUM, WORLD) == 0);
  EXPECT(most > 20 && most <= 22 && all_calls >= 2);
  EXPECT(MPI_Op_free(&op) == 0 && op == NO_OP_HANDLE);

  int out[3] = {rank, rank + 10, rank + 20}, in[3] = {-1, -1, -1};
  const int counts[3] = {1, 1, 1}, places[3] = {0, 4, 8};
  const Handle types[3] = {INT, INT, INT};
  EXPECT(MPI_Alltoallw(out, counts, places, types, in, counts, places, types, WORLD) == 0);
  for (int i = 0; i < 3; ++i) EXPECT(in[i] == i + 10 * rank);
}

static int copies, deletions;
static int copy(Handle comm, int keyval, void* extra, void* value, void* copied, int* flag) {
  if (comm == WORLD && keyval == *(int*)extra) ++copies;
  *(void**)copied = value;
  *flag = 1;
  return 0;
}
static int erase(Handle comm, int keyval, void* value, void* extra) {
  (void)comm;
  if (keyval == *(int*)extra) deletions += *(int*)value;
  return 0;
}

static void communicators(void) {
  static int keyval = -1, value = 5;
  int flag = 0, *found = NULL, same = -1, parity = -1;
  Handle twin = NULL, half = NULL, none = NULL;
  EXPECT(MPI_Comm_create_keyval(copy, erase, &keyval, &keyval) == 0);
  EXPECT(MPI_Comm_set_attr(WORLD, keyval, &value) == 0);
  EXPECT(MPI_Comm_dup(WORLD, &twin) == 0 && twin != WORLD && copies == 1);
  EXPECT(MPI_Comm_get_attr(twin, keyval, &found, &flag) == 0 && flag == 1 && found == &value);
  EXPECT(MPI_Comm_compare(WORLD, twin, &same) == 0 && same == 1);  // MPI_CONGRUENT
  EXPECT(MPI_Comm_free(&twin) == 0 && twin == NO_COMM && deletions == 5);
  EXPECT(MPI_Comm_get_attr(WORLD, KEY_TAG_UB, &found, &flag) == 0 && flag == 1 && *found >= 32767);
  EXPECT(MPI_Comm_split(WORLD, rank % 2, -rank, &half) == 0);
  EXPECT(MPI_Comm_rank(half, &parity) == 0 && parity == (rank == 0 ? 1 : 0));
  EXPECT(MPI_Comm_free(&half) == 0);
  EXPECT(MPI_Comm_split(WORLD, UNDEFINED, 0, &none) == 0 && none == NO_COMM);

  const int three[1] = {3}, closed[1] = {0};
  int before = -5, after = -5, topology = -5;
  Handle line = NULL, circle = NULL, group = NULL, first = NULL;
  EXPECT(MPI_Cart_create(WORLD, 1, three, closed, 0, &line) == 0);
  EXPECT(MPI_Cart_shift(line, 0, 1, &before, &after) == 0);
  EXPECT(before == (rank == 0 ? PROC_NULL : rank - 1) && after == (rank == 2 ? PROC_NULL : rank + 1));
  EXPECT(MPI_Topo_test(line, &topology) == 0 && topology == TOPOLOGY_CART);
  EXPECT(MPI_Topo_test(WORLD, &topology) == 0 && topology == UNDEFINED);
  EXPECT(MPI_Comm_free(&line) == 0);
  const int left = (rank + 2) % 3, right = (rank + 1) % 3;
  int in_degree = -1, out_degree = -1, weighted = -1;
  EXPECT(MPI_Dist_graph_create_adjacent(WORLD, 1, &left, UNWEIGHTED, 1, &right, UNWEIGHTED, NO_INFO, 0,
                                        &circle) == 0);
  EXPECT(MPI_Dist_graph_neighbors_count(circle, &in_degree, &out_degree, &weighted) == 0);
  EXPECT(in_degree == 1 && out_degree == 1 && weighted == 0);
  EXPECT(MPI_Comm_free(&circle) == 0);
  const int zero = 0, asked[3] = {0, 1, PROC_NULL};
  int ranks[3] = {-5, -5, -5};
  EXPECT(MPI_Comm_group(WORLD, &group) == 0 && MPI_Group_incl(group, 1, &zero, &first) == 0);
  EXPECT(MPI_Group_translate_ranks(group, 3, asked, first, ranks) == 0);
  EXPECT(ranks[0] == 0 && ranks[1] == UNDEFINED && ranks[2] == PROC_NULL);
  EXPECT(MPI_Group_free(&group) == 0 && MPI_Group_free(&first) == 0);
  EXPECT(MPI_Comm_c2f(WORLD) == 0 && MPI_Comm_f2c(0) == WORLD && MPI_Comm_f2c(2) == NO_COMM);
  EXPECT(MPI_Type_c2f(INT) == 39 && MPI_Type_f2c(46) == DOUBLE);
}

static int last_code, calls_of_handler;
static void handler(Handle* comm, int* code, ...) {
  if (*comm == WORLD) ++calls_of_handler;
  last_code = *code;
}

static void errors(void) {
  int class_of = -1, own_class = -1, own_code = -1, value[2] = {1, 2};
  Handle mine = NULL, again = NULL;
  EXPECT(MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN) == 0);
  EXPECT(MPI_Comm_get_errhandler(WORLD, &again) == 0 && again == ERRORS_RETURN);
  int code = MPI_Send(value, 1, INT, 17, 0, WORLD);
  EXPECT(code != 0 && MPI_Error_class(code, &class_of) == 0 && class_of == ERR_RANK);
  code = MPI_Send(value, 1, INT, 0, 0, NO_COMM);
  EXPECT(MPI_Error_class(code, &class_of) == 0 && class_of == ERR_COMM);
  EXPECT(MPI_Comm_create_errhandler(handler, &mine) == 0);
  EXPECT(MPI_Comm_set_errhandler(WORLD, mine) == 0);
  EXPECT(MPI_Comm_get_errhandler(WORLD, &again) == 0 && again == mine);
  MPI_Send(value, 1, INT, -7, 0, WORLD);
  EXPECT(calls_of_handler == 1 && MPI_Error_class(last_code, &class_of) == 0 && class_of == ERR_RANK);
  EXPECT(MPI_Comm_call_errhandler(WORLD, ERR_NO_SUCH_FILE) == 0 && calls_of_handler == 2);
  EXPECT(last_code == ERR_NO_SUCH_FILE);
  EXPECT(MPI_Add_error_class(&own_class) == 0 && MPI_Add_error_code(own_class, &own_code) == 0);
  EXPECT(MPI_Error_class(own_code, &class_of) == 0 && class_of == own_class);

  // A message longer than its buffer.
  Handle request = NULL;
  Status status;
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  EXPECT(MPI_Isend(value, 2, INT, right, 5, WORLD, &request) == 0);
  int room = 0;
  MPI_Recv(&room, 1, INT, left, 5, WORLD, &status);
  EXPECT(MPI_Error_class(last_code, &class_of) == 0 && class_of == ERR_TRUNCATE);
  EXPECT(MPI_Wait(&request, NULL) == 0);
  EXPECT(MPI_Errhandler_free(&again) == 0 && again == NO_HANDLER);
  EXPECT(MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN) == 0);
}

static void types(void) {
  const int sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 1};
  int numbers[10], integers = -1, addresses = -1, inner = -1, combiner = -1, bytes = -1;
  Handle tile = NULL, of = NULL, pair = NULL;
  EXPECT(MPI_Type_create_subarray(2, sizes, parts, starts, ORDER_FORTRAN, DOUBLE, &tile) == 0);
  EXPECT(MPI_Type_commit(&tile) == 0 && MPI_Type_size(tile, &bytes) == 0 && bytes == 48);
  EXPECT(MPI_Type_get_envelope(tile, &integers, &addresses, &inner, &combiner) == 0);
  EXPECT(combiner == COMBINER_SUBARRAY && inner == 1);
  EXPECT(MPI_Type_get_contents(tile, integers, addresses, inner, numbers, NULL, &of) == 0);
  EXPECT(of == DOUBLE && numbers[0] == 2 && numbers[integers - 1] == ORDER_FORTRAN);
  const int ones[2] = {1, 1};
  const Aint places[2] = {0, 8};
  const Handle members[2] = {INT, DOUBLE};
  EXPECT(MPI_Type_create_struct(2, ones, places, members, &pair) == 0);
  EXPECT(MPI_Type_size(pair, &bytes) == 0 && bytes == 12);
  EXPECT(MPI_Type_free(&pair) == 0 && pair == NO_TYPE && MPI_Type_free(&tile) == 0);
}

static void windows(void) {
  _Alignas(64) int memory[2] = {-1, -1};  // MPICH 4.0 over UCX 1.13 misses windows elsewhere on some machines
  int got = -1, flag = 0;
  Aint* extent = NULL;
  int* model = NULL;
  Handle window = NULL;
  EXPECT(MPI_Win_create(memory, sizeof memory, sizeof(int), NO_INFO, WORLD, &window) == 0);
  EXPECT(MPI_Win_get_attr(window, KEY_WIN_SIZE, &extent, &flag) == 0 && flag == 1 &&
         *extent == sizeof memory);
  EXPECT(MPI_Win_get_attr(window, KEY_WIN_MODEL, &model, &flag) == 0 && flag == 1 &&
         (*model == 0 || *model == 1));
  EXPECT(MPI_Win_fence(MODE_NOPRECEDE, window) == 0);
  EXPECT(MPI_Put(&rank, 1, INT, (rank + 1) % size, 1, 1, INT, window) == 0);
  EXPECT(MPI_Win_fence(MODE_NOSUCCEED, window) == 0);
  EXPECT(memory[1] == (rank + 2) % 3);
  EXPECT(MPI_Barrier(WORLD) == 0);
  EXPECT(MPI_Win_lock(LOCK_EXCLUSIVE, 0, 0, window) == 0);
  EXPECT(MPI_Get(&got, 1, INT, 0, 1, 1, INT, window) == 0 && MPI_Win_unlock(0, window) == 0 && got == 2);
  EXPECT(MPI_Win_free(&window) == 0 && window == NO_WIN);
}

static void files(const char* name) {
  const int mine[2] = {rank, rank * rank};
  int read[2] = {-1, -1}, count = -1;
  Handle file = NULL;
  Status status;
  EXPECT(MPI_File_open(WORLD, name, FILE_CREATE | FILE_RDWR | FILE_DELETE, NO_INFO, &file) == 0 &&
         file != NO_FILE);
  EXPECT(MPI_File_write_at_all(file, 8 * rank, mine, 2, INT, &status) == 0);
  EXPECT(MPI_Get_count(&status, INT, &count) == 0 && count == 2);
  EXPECT(MPI_Barrier(WORLD) == 0);
  EXPECT(MPI_File_read_at(file, 8 * ((rank + 1) % size), read, 2, INT, &status) == 0);
  EXPECT(read[1] == ((rank + 1) % size) * ((rank + 1) % size));
  EXPECT(MPI_File_close(&file) == 0 && file == NO_FILE);
  int class_of = -1;
  file = NO_FILE;
  const int code = MPI_File_open(WORLD, "no/such/file", FILE_RDONLY, NO_INFO, &file);
  EXPECT(code != 0 && MPI_Error_class(code, &class_of) == 0 && class_of == ERR_NO_SUCH_FILE &&
         file == NO_FILE);
}

int main(int argc, char** argv) {
  int flag = -1, version = -1, subversion = -1, length = -1, provided = -1, all = -1;
  char text[256];
  EXPECT(MPI_Initialized(&flag) == 0 && flag == 0);
  EXPECT(MPI_Init(&argc, &argv) == 0);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  if (size != 3 || argc < 2) MPI_Abort(WORLD, 2);
  EXPECT(MPI_Get_version(&version, &subversion) == 0 && version == 3 && subversion == 1);
  EXPECT(MPI_Get_library_version(text, &length) == 0 && length > 0 && strlen(text) < 256);
  EXPECT(MPI_T_init_thread(0, &provided) == 0 || provided == -1);
  EXPECT(MPIX_Query_cuda_support() == 0);
  messages();
  generalised_request();
  collectives();
  communicators();
  errors();
  types();
  windows();
  files(argv[1]);
  const char* const variables[] = {"RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE"};
  if (argc > 2)
    for (int who = 0; who < size; ++who) {
      MPI_Barrier(WORLD);
      if (who != rank) continue;
      printf("rank %d:", rank);
      for (int i = 0; i < 4; ++i) {
        char name[64];
        snprintf(name, sizeof name, "OMPI_COMM_WORLD_%s", variables[i]);
        printf(" %s", getenv(name) == NULL ? "?" : getenv(name));
      }
      printf("\n");
      fflush(stdout);
    }
  MPI_Reduce(&failures, &all, 1, INT, SUM, 0, WORLD);
  if (rank == 0) printf("%s\n%s\n", text, all == 0 ? "PASS" : "FAIL");
  return MPI_Finalize();
}
