// The entry points of Fortran that the stand-in defines itself, called as a Fortran program calls them: all
// parameters by reference, handles as integers. Open MPI's library for Fortran is not needed for these.

#include <stdio.h>
#include <string.h>

#include "interface.h"

enum { F_WORLD = 0, F_NO_REQUEST = 0, F_INTEGER = 7, F_SUM = 3, F_NO_GROUP = 0, F_EMPTY_GROUP = 1 };
enum { F_NO_OP = 0, CLASS_INTEGER = 2, INTEGERS_OF_STATUS = 6 };

extern int mpi_fortran_statuses_ignore_[], mpi_fortran_status_ignore_[];
extern int MPI_Request_c2f(Handle), MPI_Group_c2f(Handle), MPI_Group_size(Handle, int*);
extern Handle MPI_Op_f2c(int), MPI_Errhandler_f2c(int), MPI_Group_f2c(int), MPI_Request_f2c(int);
extern int OMPI_C_MPI_COMM_NULL_DELETE_FN(Handle, int, void*, void*);

extern void mpi_wait_(int*, int*, int*), mpi_test_(int*, int*, int*, int*);
extern void mpi_waitall_(int*, int*, int*, int*), mpi_testall_(int*, int*, int*, int*, int*);
extern void mpi_waitany_(int*, int*, int*, int*, int*), mpi_testany_(int*, int*, int*, int*, int*, int*);
extern void mpi_waitsome_(int*, int*, int*, int*, int*, int*),
    mpi_testsome_(int*, int*, int*, int*, int*, int*);
extern void mpi_op_create_(void*, int*, int*, int*), mpi_comm_create_errhandler_(void*, int*, int*);
extern void mpi_keyval_create_(void*, void*, int*, int*, int*), mpi_attr_put_(int*, int*, int*, int*);
extern void mpi_attr_get_(int*, int*, int*, int*, int*), mpi_comm_get_attr_(int*, int*, Aint*, int*, int*);
extern void mpi_comm_create_keyval_(void*, void*, int*, Aint*, int*),
    mpi_comm_set_attr_(int*, int*, Aint*, int*);
extern void mpi_comm_dup_fn_(void), mpi_comm_null_delete_fn_(void);
extern void mpi_group_incl_(int*, int*, int*, int*, int*),
    mpi_group_range_excl_(int*, int*, int (*)[3], int*, int*);
extern void mpi_group_union_(int*, int*, int*, int*), mpi_group_difference_(int*, int*, int*, int*);
extern void mpi_type_match_size_(int*, int*, int*, int*);
extern void mpi_grequest_start_(void*, void*, void*, Aint*, int*, int*);
extern void ompi_wait_f(int*, int*, int*), pmpi_wait_(int*, int*, int*);  // what modules and tools call

extern void mpi_request_free_(int*, int*);
extern void mpi_info_get_(int*, const char*, int*, char*, int*, int*, int, int);
extern void mpi_info_get_string_(int*, const char*, int*, char*, int*, int*, int, int);
extern void mpi_info_get_nthkey_(int*, int*, char*, int*, int);
extern int MPI_Info_create(Handle*), MPI_Info_set(Handle, const char*, const char*), MPI_Info_c2f(Handle);
extern int MPI_Info_free(Handle*);

static int failures, rank, size;

static void check(int holds, const char* what) {
  if (holds) return;
  ++failures;
  printf("rank %d: wrong: %s\n", rank, what);
}

static int next(void) {
  return (rank + 1) % size;
}
static int previous(void) {
  return (rank + size - 1) % size;
}

static int receive(int* into, int tag) {
  Handle request;
  MPI_Irecv(into, 1, INT, previous(), tag, WORLD, &request);
  return MPI_Request_c2f(request);
}

static void send(int value, int tag) {
  MPI_Send(&value, 1, INT, next(), tag, WORLD);
}

static void check_status(const int* status, int tag, const char* what) {
  check(status[0] == previous() && status[1] == tag && status[4] == (int)sizeof(int) && status[5] == 0, what);
}

static void requests_complete(void) {
  int got[3], requests[3], status[INTEGERS_OF_STATUS], statuses[3][INTEGERS_OF_STATUS], error = -1;
  requests[0] = receive(&got[0], 1);
  send(rank, 1);
  mpi_wait_(&requests[0], status, &error);
  check(error == 0 && got[0] == previous() && requests[0] == F_NO_REQUEST, "wait");
  check_status(status, 1, "status of wait");

  requests[0] = receive(&got[0], 2);
  int done = 0;
  send(rank, 2);
  while (!done) mpi_test_(&requests[0], &done, mpi_fortran_status_ignore_, &error);
  check(requests[0] == F_NO_REQUEST, "test");

  int count = 3;
  for (int i = 0; i < count; ++i) requests[i] = receive(&got[i], 3 + i);
  for (int i = 0; i < count; ++i) send(10 * i + rank, 3 + i);
  mpi_waitall_(&count, requests, statuses[0], &error);
  for (int i = 0; i < count; ++i) {
    check(got[i] == 10 * i + previous() && requests[i] == F_NO_REQUEST, "waitall");
    check_status(statuses[i], 3 + i, "status of waitall");
  }

  int index = -1;
  requests[0] = requests[2] = F_NO_REQUEST;
  requests[1] = receive(&got[1], 6);
  send(rank, 6);
  mpi_waitany_(&count, requests, &index, status, &error);
  check(index == 2 && requests[1] == F_NO_REQUEST, "waitany counts from one");
  mpi_testany_(&count, requests, &index, &done, status, &error);
  check(index == UNDEFINED && done == 1, "testany of no request");

  int completed = 0, indices[3] = {0, 0, 0};
  requests[2] = receive(&got[2], 7);
  send(rank, 7);
  mpi_waitsome_(&count, requests, &completed, indices, statuses[0], &error);
  check(completed == 1 && indices[0] == 3 && requests[2] == F_NO_REQUEST, "waitsome counts from one");
  check_status(statuses[0], 7, "status of waitsome");
  mpi_testsome_(&count, requests, &completed, indices, mpi_fortran_statuses_ignore_, &error);
  check(completed == UNDEFINED, "testsome of no request");

  for (int i = 0; i < count; ++i) requests[i] = receive(&got[i], 8);
  done = 0;
  for (int i = 0; i < count; ++i) send(i, 8);
  while (!done) mpi_testall_(&count, requests, &done, mpi_fortran_statuses_ignore_, &error);
  check(got[0] == 0 && got[2] == 2 && requests[1] == F_NO_REQUEST, "testall");

  requests[0] = receive(&got[0], 9);
  requests[1] = receive(&got[1], 9);
  send(1, 9);
  send(2, 9);
  ompi_wait_f(&requests[0], status, &error);
  pmpi_wait_(&requests[1], status, &error);
  check(got[0] == 1 && got[1] == 2, "the other names");

  Handle persistent;
  MPI_Recv_init(got, 1, INT, 0, 1, WORLD, &persistent);
  requests[0] = MPI_Request_c2f(persistent);
  mpi_request_free_(&requests[0], &error);
  check(error == 0 && requests[0] == F_NO_REQUEST, "request_free");
}

// Fields are filled up with blanks, and their lengths are the last arguments.
static void texts_of_an_info(void) {
  Handle info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "blue");
  int number = MPI_Info_c2f(info), flag = 0, error = -1, first = 0, most = 8;
  char value[8], key[10];
  mpi_info_get_(&number, "colour  ", &most, value, &flag, &error, 8, 8);
  check(flag == 1 && memcmp(value, "blue    ", 8) == 0, "info_get");
  most = 2;
  mpi_info_get_(&number, "colour", &most, value, &flag, &error, 6, 8);
  check(flag == 1 && memcmp(value, "bl      ", 8) == 0, "info_get cuts off");
  mpi_info_get_(&number, "taste", &most, value, &flag, &error, 5, 8);
  check(flag == 0 && error == 0, "info_get of no key");
  most = 8;
  mpi_info_get_string_(&number, "colour", &most, value, &flag, &error, 6, 8);
  check(flag == 1 && most == 4 && memcmp(value, "blue    ", 8) == 0, "info_get_string");
  mpi_info_get_nthkey_(&number, &first, key, &error, 10);
  check(memcmp(key, "colour    ", 10) == 0, "info_get_nthkey");
  MPI_Info_free(&info);
}

static int type_seen = -1;
static void add(int* in, int* in_and_out, int* length, int* type) {
  type_seen = *type;
  for (int i = 0; i < *length; ++i) in_and_out[i] += in[i];
}

static int code_seen = -1, comm_seen = -1;
static void note_error(int* comm, int* code) {
  comm_seen = *comm;
  code_seen = *code;
}

static void functions_get_fortrans_handles(void) {
  int op = -1, error = -1, yes = 1, mine = rank + 1, sum = 0;
  mpi_op_create_((void*)add, &yes, &op, &error);
  MPI_Allreduce(&mine, &sum, 1, MPI_Type_f2c(F_INTEGER), MPI_Op_f2c(op), WORLD);
  check(sum == size * (size + 1) / 2 && op != F_NO_OP, "an operator");
  check(size == 1 || type_seen == F_INTEGER || type_seen == -1, "the operator's datatype");

  Handle comm;
  int handler = -1;
  MPI_Comm_dup(WORLD, &comm);
  mpi_comm_create_errhandler_((void*)note_error, &handler, &error);
  MPI_Comm_set_errhandler(comm, MPI_Errhandler_f2c(handler));
  MPI_Send(&mine, 1, INT, size + 3, 1, comm);
  check(code_seen == ERR_RANK && comm_seen == MPI_Comm_c2f(comm), "an error handler");
  MPI_Comm_free(&comm);
}

static int deleted = 0;
static void copy_more(int* comm, int* key, int* extra, int* value, int* copy, int* flag, int* error) {
  (void)comm, (void)key;
  *copy = *value + *extra;
  *flag = 1;
  *error = 0;
}
static void note_delete(int* comm, int* key, int* value, int* extra, int* error) {
  (void)comm, (void)key, (void)extra;
  deleted += *value;
  *error = 0;
}

static void attributes_are_both_languages(void) {
  int key = -1, error = -1, extra = 5, value = 40, world = F_WORLD, flag = 0, twin_number, none = UNDEFINED;
  Handle twin;
  mpi_keyval_create_((void*)copy_more, (void*)note_delete, &key, &extra, &error);
  mpi_attr_put_(&world, &key, &value, &error);
  MPI_Comm_dup(WORLD, &twin);
  twin_number = MPI_Comm_c2f(twin);
  mpi_attr_get_(&twin_number, &key, &value, &flag, &error);
  check(flag == 1 && value == 45, "a copied attribute");
  void* seen_by_c = NULL;
  MPI_Comm_get_attr(twin, key, &seen_by_c, &flag);
  check(flag == 1 && *(int*)seen_by_c == 45, "C sees the address of Fortran's integer");
  MPI_Comm_free(&twin);
  check(deleted == 45, "a deleted attribute");

  Aint address = (Aint)1 << 40, wide_extra = 0, got = 0;
  mpi_comm_create_keyval_((void*)mpi_comm_dup_fn_, (void*)mpi_comm_null_delete_fn_, &key, &wide_extra,
                          &error);
  mpi_comm_set_attr_(&world, &key, &address, &error);
  mpi_comm_get_attr_(&world, &key, &got, &flag, &error);
  check(flag == 1 && got == address, "an attribute of the kind of addresses");

  MPI_Comm_create_keyval(OMPI_C_MPI_COMM_DUP_FN, OMPI_C_MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(WORLD, key, &none);
  mpi_comm_get_attr_(&world, &key, &got, &flag, &error);
  check(flag == 1 && got == (Aint)&none, "Fortran sees C's address");

  key = KEY_TAG_UB;
  mpi_attr_get_(&world, &key, &value, &flag, &error);
  check(flag == 1 && value >= 32767, "MPI_TAG_UB");
}

static void groups_and_datatypes(void) {
  Handle all;
  MPI_Comm_group(WORLD, &all);
  int whole = MPI_Group_c2f(all), one = 1, first = 0, made = -1, other = -1, error = -1, members = -1;
  int ranges[1][3] = {{0, 0, 1}};
  mpi_group_incl_(&whole, &one, &first, &made, &error);
  MPI_Group_size(MPI_Group_f2c(made), &members);
  check(members == 1, "group_incl");
  mpi_group_range_excl_(&whole, &one, ranges, &other, &error);
  MPI_Group_size(MPI_Group_f2c(other), &members);
  check(members == size - 1, "group_range_excl");
  mpi_group_union_(&made, &other, &other, &error);
  MPI_Group_size(MPI_Group_f2c(other), &members);
  check(members == size, "group_union");
  mpi_group_difference_(&whole, &whole, &other, &error);
  check(other == F_EMPTY_GROUP, "group_difference");

  int type_class = CLASS_INTEGER, bytes = 8, type = -1, has = 0;
  mpi_type_match_size_(&type_class, &bytes, &type, &error);
  MPI_Type_size(MPI_Type_f2c(type), &has);
  check(error == 0 && has == 8, "type_match_size");
}

static Aint extra_seen = 0;
static void query(Aint* extra, int* status, int* error) {
  extra_seen = *extra;
  memset(status, 0, INTEGERS_OF_STATUS * sizeof *status);
  status[1] = 77;
  *error = 0;
}
static void release(Aint* extra, int* error) {
  *extra = 0;
  *error = 0;
}
static void cancel(Aint* extra, int* completed, int* error) {
  (void)extra, (void)completed;
  *error = 0;
}

static void generalised_requests(void) {
  Aint extra = (Aint)1 << 35;
  int request = -1, status[INTEGERS_OF_STATUS], error = -1;
  mpi_grequest_start_((void*)query, (void*)release, (void*)cancel, &extra, &request, &error);
  MPI_Grequest_complete(MPI_Request_f2c(request));
  mpi_wait_(&request, status, &error);
  check(extra_seen == extra && status[1] == 77, "a generalised request");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  requests_complete();
  functions_get_fortrans_handles();
  attributes_are_both_languages();
  groups_and_datatypes();
  generalised_requests();
  texts_of_an_info();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, INT, SUM, WORLD);
  if (rank == 0) printf("%s\n", all == 0 ? "PASS" : "FAIL");
  MPI_Finalize();
  return 0;
}
