// What the standard ABI says of values, and what becomes of each kind of parameter: on 3 ranks. Prints
// "PASS", or what is wrong.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MPI 5.0, chapter 20: types.
_Static_assert(sizeof(MPI_Aint) == sizeof(void*) && (MPI_Aint)-1 < 0, "an address");
_Static_assert(sizeof(MPI_Offset) == 8 && sizeof(MPI_Count) == 8, "64 bits");
_Static_assert(sizeof(MPI_Status) == 32 && _Alignof(MPI_Status) == _Alignof(int), "eight integers");
_Static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0 && offsetof(MPI_Status, MPI_TAG) == 4 &&
                   offsetof(MPI_Status, MPI_ERROR) == 8 && offsetof(MPI_Status, MPI_internal) == 12,
               "in this order");
_Static_assert(sizeof(MPI_Comm) == sizeof(void*) && sizeof(MPI_Datatype) == sizeof(void*), "handles");

// Annex A: the Huffman code of handles, as spelled there in bits.
_Static_assert((intptr_t)MPI_OP_NULL == 0x20 && (intptr_t)MPI_SUM == 0x21 && (intptr_t)MPI_NO_OP == 0x3d, "");
_Static_assert((intptr_t)MPI_COMM_NULL == 0x100 && (intptr_t)MPI_COMM_WORLD == 0x101, "");
_Static_assert((intptr_t)MPI_GROUP_EMPTY == 0x109 && (intptr_t)MPI_WIN_NULL == 0x110, "");
_Static_assert((intptr_t)MPI_FILE_NULL == 0x118 && (intptr_t)MPI_SESSION_NULL == 0x120, "");
_Static_assert((intptr_t)MPI_MESSAGE_NO_PROC == 0x129 && (intptr_t)MPI_INFO_ENV == 0x131, "");
_Static_assert((intptr_t)MPI_ERRORS_ABORT == 0x142 && (intptr_t)MPI_REQUEST_NULL == 0x180, "");
_Static_assert((intptr_t)MPI_DATATYPE_NULL == 0x200 && (intptr_t)MPI_INT == 0x209, "");
_Static_assert((intptr_t)MPI_CHARACTER == 0x21e, "page 870");
_Static_assert(MPI_ERR_WIN == 56 && MPI_ERR_SESSION == 60 && MPI_ERR_ABI == 62, "");
// A type of a fixed size has the logarithm of its bytes in bits 3 to 5.
#define HAS_SIZE(type, bytes) \
  _Static_assert(((intptr_t)(type)&0x240) == 0x240 && 1 << (((intptr_t)(type) >> 3) & 7) == (bytes), #type);
HAS_SIZE(MPI_BYTE, 1)
HAS_SIZE(MPI_CHAR, 1)
HAS_SIZE(MPI_UINT16_T, 2)
HAS_SIZE(MPI_INT32_T, 4)
HAS_SIZE(MPI_INT64_T, 8)
HAS_SIZE(MPI_INTEGER1, 1)
HAS_SIZE(MPI_REAL4, 4)
HAS_SIZE(MPI_REAL8, 8)
HAS_SIZE(MPI_COMPLEX16, 16)
HAS_SIZE(MPI_COMPLEX32, 32)
// The stand-in's table has the header's handles.
#define MORGANA_HANDLE(number, name, mpich) _Static_assert((intptr_t)(name) == (number), #name);
#include "pvmshim/mpi/stand_in/abi/predefined.def"

static int rank, size, failed;

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) {                                             \
      printf("rank %d, line %d: %s\n", rank, __LINE__, #condition); \
      failed = 1;                                                   \
    }                                                               \
  } while (0)

static MPI_Datatype summed_type;
static void add(void* in, void* in_and_out, int* length, MPI_Datatype* type) {
  summed_type = *type;
  for (int i = 0; i < *length; ++i) ((int*)in_and_out)[i] += ((int*)in)[i];
}
static void add_many(void* in, void* in_and_out, MPI_Count* length, MPI_Datatype* type) {
  summed_type = *type;
  for (MPI_Count i = 0; i < *length; ++i) ((int*)in_and_out)[i] += ((int*)in)[i];
}

static MPI_Comm copied, deleted, failing;
static int copied_key, failed_class;
static int copy(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag) {
  copied = comm;
  copied_key = key;
  *flag = 1;
  *(void**)copy = (char*)value + *(int*)extra;
  return MPI_SUCCESS;
}
static int erase(MPI_Comm comm, int key, void* value, void* extra) {
  deleted = comm;
  (void)key, (void)value, (void)extra;
  return MPI_SUCCESS;
}
static void note_error(MPI_Comm* comm, int* code, ...) {
  failing = *comm;
  MPI_Error_class(*code, &failed_class);
}

static void messages(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  int sent = rank, got = -1, count = -1;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, next, 40 + rank, MPI_COMM_WORLD, &requests[1]);
  CHECK((uintptr_t)requests[0] >= 0x400);
  CHECK(MPI_Request_fromint(MPI_Request_toint(requests[0])) == requests[0]);
  statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = 77;
  MPI_Waitall(2, requests, statuses);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  CHECK(got == before && statuses[0].MPI_SOURCE == before && statuses[0].MPI_TAG == 40 + before);
  CHECK(statuses[0].MPI_ERROR == 77);  // set where a call fails only
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  CHECK(count == 1);

  MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Wait(&none, &status);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL);

  // A status of one's own
  CHECK(MPI_Status_set_source(&status, 2) == MPI_SUCCESS && status.MPI_SOURCE == 2);
  CHECK(MPI_Status_set_tag(&status, 9) == MPI_SUCCESS && MPI_Status_get_tag(&status, &got) == MPI_SUCCESS);
  CHECK(got == 9);
  MPI_Status_set_error(&status, MPI_ERR_TAG);
  MPI_Status_get_error(&status, &got);
  CHECK(got == MPI_ERR_TAG);
  MPI_Status_set_elements_c(&status, MPI_DOUBLE, (MPI_Count)1 << 32);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Count many = 0;
  int flag = 0;
  MPI_Get_elements_c(&status, MPI_DOUBLE, &many);
  MPI_Test_cancelled(&status, &flag);
  CHECK(many == (MPI_Count)1 << 32 && flag == 1 && status.MPI_SOURCE == 2);

  // A tag that is no tag, -1, is not another interface's MPI_ANY_TAG
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class_of = 0;
  MPI_Error_class(MPI_Recv(&got, 1, MPI_INT, 0, -1, MPI_COMM_WORLD, &status), &class_of);
  CHECK(class_of == MPI_ERR_TAG);
  MPI_Error_class(MPI_Send(&got, 1, MPI_INT, size, 0, MPI_COMM_WORLD), &class_of);
  CHECK(class_of == MPI_ERR_RANK);
  MPI_Error_class(MPI_Send(&got, 1, (MPI_Datatype)0x25a, 0, 0, MPI_COMM_WORLD), &class_of);
  CHECK(class_of == MPI_ERR_TYPE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void callbacks(void) {
  MPI_Op sum, sum_of_many;
  int value = rank + 1, total = 0, key = MPI_KEYVAL_INVALID, step = 3, flag = 0;
  MPI_Op_create(add, 1, &sum);
  MPI_Op_create_c(add_many, 1, &sum_of_many);
  MPI_Allreduce(&value, &total, 1, MPI_INT, sum, MPI_COMM_WORLD);
  CHECK(total == size * (size + 1) / 2);
  MPI_Reduce_local(&value, &total, 1, MPI_INT, sum);
  CHECK(summed_type == MPI_INT);
  MPI_Datatype pair;
  MPI_Type_contiguous_c(1, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Allreduce_c(&value, &total, 1, pair, sum_of_many, MPI_COMM_WORLD);
  CHECK(total == size * (size + 1) / 2);
  MPI_Reduce_local_c(&value, &total, 1, pair, sum_of_many);
  CHECK(summed_type == pair);
  MPI_Type_free(&pair);
  CHECK(pair == MPI_DATATYPE_NULL);
  MPI_Op_free(&sum);
  MPI_Op_free(&sum_of_many);
  CHECK(sum == MPI_OP_NULL);

  MPI_Comm twin;
  char place[8];
  void* found = NULL;
  MPI_Comm_create_keyval(copy, erase, &key, &step);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, place);
  MPI_Comm_dup(MPI_COMM_SELF, &twin);
  MPI_Comm_get_attr(twin, key, &found, &flag);
  CHECK(flag && found == place + step && copied == MPI_COMM_SELF && copied_key == key);
  MPI_Comm of_delete = twin;
  MPI_Comm_free(&twin);
  CHECK(deleted == of_delete && twin == MPI_COMM_NULL);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, place);
  MPI_Comm_dup(MPI_COMM_SELF, &twin);
  MPI_Comm_get_attr(twin, key, &found, &flag);
  CHECK(flag && found == place);
  MPI_Comm_free(&twin);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  MPI_Comm_free_keyval(&key);

  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_SELF);
  CHECK(failing == MPI_COMM_SELF && failed_class == MPI_ERR_COUNT);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
}

static void constants(void) {
  int result = -1, flag = 0, *number = NULL;
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_compare(MPI_COMM_WORLD, twin, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_IDENT);
  MPI_Comm_free(&twin);
  MPI_Query_thread(&result);
  CHECK(result == MPI_THREAD_SERIALIZED);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &flag);
  CHECK(flag && *number >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &number, &flag);
  CHECK(!flag || *number == MPI_ANY_SOURCE || *number == rank);

  MPI_Win window;
  static _Alignas(64) int shared;  // MPICH 4.0 over UCX 1.13 misses windows elsewhere on some machines
  MPI_Win_create(&shared, sizeof shared, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &number, &flag);
  int* const flavor = number;
  CHECK(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
  MPI_Win_get_attr(window, MPI_WIN_MODEL, &number, &flag);
  CHECK(flag && *number == MPI_WIN_UNIFIED && *flavor == MPI_WIN_FLAVOR_CREATE);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  CHECK(shared == (rank + size - 1) % size);
  MPI_Win_free(&window);
  CHECK(window == MPI_WIN_NULL);

  // Neighbours without weights, and their datatypes
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Comm ring;
  int counts[] = {1}, got = -1, in = 0, out = 0, weighted = 1;
  MPI_Count large[] = {1};
  MPI_Aint places[] = {0};
  MPI_Datatype types[] = {MPI_INT};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Topo_test(ring, &result);
  CHECK(result == MPI_DIST_GRAPH);
  MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
  CHECK(in == 1 && out == 1 && !weighted);
  MPI_Neighbor_alltoallw(&rank, counts, places, types, &got, counts, places, types, ring);
  CHECK(got == before);
  got = -1;
  MPI_Request request;
  MPI_Ineighbor_alltoallw_c(&rank, large, places, types, &got, large, places, types, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got == before);
  MPI_Comm_free(&ring);

  // What a type was made of
  const MPI_Count sizes[] = {6, 4}, parts[] = {2, 2}, starts[] = {1, 1};
  MPI_Datatype part, contents[1];
  MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &part);
  MPI_Count integers, addresses, larges, inner;
  int combiner, kept[8];
  MPI_Count kept_larges[8];
  MPI_Aint kept_addresses[1];
  MPI_Type_get_envelope_c(part, &integers, &addresses, &larges, &inner, &combiner);
  CHECK(combiner == MPI_COMBINER_SUBARRAY && inner == 1 && integers + larges == 8);
  MPI_Type_get_contents_c(part, integers, addresses, larges, inner, kept, kept_addresses, kept_larges,
                          contents);
  CHECK(contents[0] == MPI_DOUBLE && kept[integers - 1] == MPI_ORDER_FORTRAN && kept[0] == 2);
  CHECK(MPI_Type_fromint(MPI_Type_toint(part)) == part);
  MPI_Type_free(&part);
  const int global[] = {8}, distribution[] = {MPI_DISTRIBUTE_CYCLIC}, argument[] = {MPI_DISTRIBUTE_DFLT_DARG},
            grid[] = {size};
  MPI_Type_create_darray(size, rank, 1, global, distribution, argument, grid, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_get_contents(part, 8, 0, 1, kept, kept_addresses, contents);
  CHECK(kept[4] == MPI_DISTRIBUTE_CYCLIC && kept[5] == MPI_DISTRIBUTE_DFLT_DARG && kept[7] == MPI_ORDER_C);
  MPI_Type_free(&part);
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &part);
  CHECK(part == MPI_DOUBLE_INT);
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &part);
  CHECK(part == MPI_DATATYPE_NULL);
}

static void files(const char* name) {
  MPI_File file;
  MPI_Offset place = -1;
  int mode = 0, value = rank, got = -1;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  CHECK(MPI_File_fromint(MPI_File_toint(file)) == file &&
        MPI_File_toint(file) != MPI_File_toint(MPI_FILE_NULL));
  CHECK(MPI_File_toint(MPI_FILE_NULL) == 0x118 && MPI_File_fromint(0x118) == MPI_FILE_NULL);
  MPI_File_get_amode(file, &mode);
  CHECK(mode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
  MPI_File_write_at_all_c(file, rank * (MPI_Offset)sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, -(MPI_Offset)sizeof value, MPI_SEEK_END);
  MPI_File_get_position(file, &place);
  CHECK(place == (size - 1) * (MPI_Offset)sizeof value);
  MPI_File_read(file, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(got == size - 1);
  MPI_File_close(&file);
  CHECK(file == MPI_FILE_NULL);
  int class_of = 0;
  MPI_Error_class(MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                  &class_of);
  CHECK(class_of == MPI_ERR_NO_SUCH_FILE);
}

static int info_number(MPI_Info info, const char* key) {
  char text[MPI_MAX_INFO_VAL];
  int room = sizeof text, flag = 0;
  MPI_Info_get_string(info, key, &room, text, &flag);
  return flag ? atoi(text) : -1;
}

static void about_the_abi(void) {
  int major = -1, minor = -1, is_set = 1;
  CHECK(MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS && major == MPI_ABI_VERSION);
  CHECK(minor == MPI_ABI_SUBVERSION);
  MPI_Info info;
  MPI_Abi_get_info(&info);
  CHECK(info_number(info, "mpi_aint_size") == (int)sizeof(MPI_Aint));
  CHECK(info_number(info, "mpi_count_size") == 8 && info_number(info, "mpi_offset_size") == 8);
  MPI_Info_free(&info);
  CHECK(info == MPI_INFO_NULL);

  MPI_Abi_get_fortran_info(&info);
  CHECK(info == MPI_INFO_NULL);
  MPI_Info said;
  MPI_Info_create(&said);
  MPI_Info_set(said, "mpi_logical_size", "4");
  CHECK(MPI_Abi_set_fortran_info(said) == MPI_SUCCESS && MPI_Abi_set_fortran_info(said) == MPI_ERR_ABI);
  MPI_Info_free(&said);
  MPI_Abi_get_fortran_info(&info);
  CHECK(info_number(info, "mpi_logical_size") == 4);
  MPI_Info_free(&info);
  int yes = 1, no = 0, is_yes = -1, is_no = -1;
  MPI_Abi_get_fortran_booleans(4, &is_yes, &is_no, &is_set);
  CHECK(!is_set);
  CHECK(MPI_Abi_set_fortran_booleans(4, &yes, &no) == MPI_SUCCESS);
  CHECK(MPI_Abi_set_fortran_booleans(4, &yes, &no) == MPI_ERR_ABI);
  MPI_Abi_get_fortran_booleans(4, &is_yes, &is_no, &is_set);
  CHECK(is_set && is_yes == 1 && is_no == 0);

  CHECK(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101 && MPI_Comm_fromint(0x102) == MPI_COMM_SELF);
  CHECK(MPI_Type_toint(MPI_DOUBLE) == 0x214 && MPI_Op_fromint(0x21) == MPI_SUM);
  CHECK(MPI_Errhandler_toint(MPI_ERRORS_RETURN) == 0x143 && MPI_Info_toint(MPI_INFO_ENV) == 0x131);
  int level = -1;
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level) == MPI_T_ERR_CANNOT_INIT);
}

int main(int argc, char** argv) {
  int provided = -1, all_failed = 0, length = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == MPI_THREAD_SERIALIZED);
  messages();
  callbacks();
  constants();
  files(argv[1]);
  about_the_abi();
  MPI_Get_library_version(version, &length);
  CHECK(length == (int)strlen(version));
  MPI_Reduce(&failed, &all_failed, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n%s\n", version, all_failed ? "FAIL" : "PASS");
  MPI_Finalize();
  return failed;
}
