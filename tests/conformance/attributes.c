// Attributes of communicators and datatypes, and their callbacks.
// ranks: 3
#include "conformance.h"

static int copies, deletions;
static void* copied_extra;

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key;
  ++copies;
  copied_extra = extra;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int keep_to_itself(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}

static int remove_value(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static char place[16];

CASE(set_get_and_delete) {
  int key = MPI_KEYVAL_INVALID, found = -1;
  void* value = NULL;
  MPI_Comm comm;
  deletions = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove_value, &key, NULL));
  CHECK(key != MPI_KEYVAL_INVALID);
  MPI_Comm_get_attr(comm, key, &value, &found);
  CHECK_INT(0, found);
  CHECK_OK(MPI_Comm_set_attr(comm, key, place));
  MPI_Comm_get_attr(comm, key, &value, &found);
  CHECK_INT(1, found);
  CHECK(value == place);
  CHECK_OK(MPI_Comm_set_attr(comm, key, place + 1));  // replaces, and so deletes the first
  CHECK_INT(1, deletions);
  CHECK_OK(MPI_Comm_delete_attr(comm, key));
  CHECK_INT(2, deletions);
  MPI_Comm_get_attr(comm, key, &value, &found);
  CHECK_INT(0, found);
  CHECK_OK(MPI_Comm_free_keyval(&key));
  CHECK_INT(MPI_KEYVAL_INVALID, key);
  MPI_Comm_free(&comm);
}

CASE(dup_copies_and_free_deletes) {
  int key, found = -1;
  void* value = NULL;
  MPI_Comm parent, child;
  copies = deletions = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_keyval(copy, remove_value, &key, place + 9);
  MPI_Comm_set_attr(parent, key, place + 3);
  MPI_Comm_dup(parent, &child);
  CHECK_INT(1, copies);
  CHECK(copied_extra == place + 9);
  MPI_Comm_get_attr(child, key, &value, &found);
  CHECK_INT(1, found);
  CHECK(value == place + 4);
  MPI_Comm_get_attr(parent, key, &value, &found);
  CHECK(value == place + 3);
  MPI_Comm_free(&child);
  CHECK_INT(1, deletions);
  MPI_Comm_free(&parent);
  CHECK_INT(2, deletions);
  MPI_Comm_free_keyval(&key);
}

CASE(copy_may_decline) {
  int key, found = -1;
  void* value = NULL;
  MPI_Comm parent, child;
  copies = deletions = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_keyval(keep_to_itself, remove_value, &key, NULL);
  MPI_Comm_set_attr(parent, key, place);
  MPI_Comm_dup(parent, &child);
  CHECK_INT(1, copies);
  MPI_Comm_get_attr(child, key, &value, &found);
  CHECK_INT(0, found);
  MPI_Comm_free(&child);
  CHECK_INT(0, deletions);
  MPI_Comm_free(&parent);
  CHECK_INT(1, deletions);
  MPI_Comm_free_keyval(&key);
}

CASE(predefined_copy_functions) {
  int duplicated, dropped, found = -1;
  void* value = NULL;
  MPI_Comm parent, child;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &duplicated, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &dropped, NULL);
  MPI_Comm_set_attr(parent, duplicated, place + 5);
  MPI_Comm_set_attr(parent, dropped, place + 6);
  MPI_Comm_dup(parent, &child);
  MPI_Comm_get_attr(child, duplicated, &value, &found);
  CHECK_INT(1, found);
  CHECK(value == place + 5);
  MPI_Comm_get_attr(child, dropped, &value, &found);
  CHECK_INT(0, found);
  MPI_Comm_free(&child);
  MPI_Comm_free(&parent);
  MPI_Comm_free_keyval(&duplicated);
  MPI_Comm_free_keyval(&dropped);
}

CASE(split_copies_nothing) {
  int key, found = -1;
  void* value = NULL;
  MPI_Comm parent, part;
  copies = deletions = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_keyval(copy, remove_value, &key, NULL);
  MPI_Comm_set_attr(parent, key, place);
  MPI_Comm_split(parent, 0, 0, &part);
  CHECK_INT(0, copies);
  MPI_Comm_get_attr(part, key, &value, &found);
  CHECK_INT(0, found);
  MPI_Comm_free(&part);
  MPI_Comm_free(&parent);
  CHECK_INT(1, deletions);
  MPI_Comm_free_keyval(&key);
}

static int communicating_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  // Libraries do this: the callback itself communicates.
  (void)key, (void)extra;
  int rank, size, got = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
               MPI_STATUS_IGNORE);
  copies = got;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

CASE(callbacks_may_communicate) {
  int key;
  MPI_Comm parent, child;
  copies = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_keyval(communicating_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(parent, key, place);
  MPI_Comm_dup(parent, &child);
  CHECK_INT((world_rank + world_size - 1) % world_size, copies);
  MPI_Comm_free(&child);
  MPI_Comm_free(&parent);
  MPI_Comm_free_keyval(&key);
}

static int duplicating_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  // Libraries do this, too: each communicator of theirs has one beside it.
  (void)comm, (void)key, (void)extra;
  MPI_Comm beside;
  MPI_Comm_dup(MPI_COMM_SELF, &beside);
  MPI_Comm_free(&beside);
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

CASE(callbacks_may_duplicate_communicators) {
  int key, ones = 1, sum = 0;
  MPI_Comm parent, child;
  copies = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_keyval(duplicating_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(parent, key, place);
  MPI_Comm_dup(parent, &child);
  CHECK_INT(1, copies);
  MPI_Allreduce(&ones, &sum, 1, MPI_INT, MPI_SUM, child);
  CHECK_INT(world_size, sum);
  MPI_Comm_free(&child);
  MPI_Comm_free(&parent);
  MPI_Comm_free_keyval(&key);
}

static int copy_of_type(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int removal_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

CASE(attributes_of_datatypes) {
  int key, found = -1;
  void* value = NULL;
  MPI_Datatype type, twin;
  copies = deletions = 0;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_create_keyval(copy_of_type, removal_of_type, &key, NULL);
  CHECK_OK(MPI_Type_set_attr(type, key, place + 7));
  MPI_Type_dup(type, &twin);
  CHECK_INT(1, copies);
  MPI_Type_get_attr(twin, key, &value, &found);
  CHECK_INT(1, found);
  CHECK(value == place + 7);
  CHECK_OK(MPI_Type_delete_attr(twin, key));
  CHECK_INT(1, deletions);
  MPI_Type_free(&twin);
  MPI_Type_free(&type);
  CHECK_INT(2, deletions);
  MPI_Type_free_keyval(&key);
}

CASE(predefined_attributes_of_the_world) {
  int* value = NULL;
  int found = -1;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  CHECK_INT(1, found);
  CHECK(*value >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &found);
  CHECK(!found || *value == 0 || *value == 1);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &found);
  CHECK_INT(1, found);
}

CASE(freed_keyval_lives_while_used) {
  int key, number;
  MPI_Comm comm;
  deletions = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove_value, &key, NULL);
  number = key;
  MPI_Comm_set_attr(comm, key, place);
  MPI_Comm_free_keyval(&key);
  CHECK(number != MPI_KEYVAL_INVALID);
  MPI_Comm_free(&comm);
  CHECK_INT(1, deletions);
}
