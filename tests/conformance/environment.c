// Starting up with threads, clocks, names, info objects and versions.
// ranks: 2
#include <mpi.h>

static int asked_before_init = -1, provided_level = -1;

// MPI_Initialized, MPI_Finalized and MPI_Get_version may be called before MPI_Init.
static int initialise(int* argc, char*** argv) {
  int initialised = -1, finalised = -1, version = -1, subversion = -1;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  MPI_Get_version(&version, &subversion);
  asked_before_init = initialised == 0 && finalised == 0 && version >= 3;
  return MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided_level);
}
#define CONFORMANCE_INIT(argc, argv) initialise(argc, argv)
#include <pthread.h>

#include "conformance.h"

CASE(before_and_after_init) {
  int initialised = -1, finalised = -1;
  CHECK_INT(1, asked_before_init);
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  CHECK_INT(1, initialised);
  CHECK_INT(0, finalised);
}

CASE(thread_level) {
  int level = -1, is_main = -1;
  CHECK(provided_level >= MPI_THREAD_SERIALIZED);
  MPI_Query_thread(&level);
  CHECK_INT(provided_level, level);
  MPI_Is_thread_main(&is_main);
  CHECK_INT(1, is_main);
}

static int thread_got, thread_is_main;

static void* exchange(void* unused) {
  int partner = 1 - world_rank;
  MPI_Is_thread_main(&thread_is_main);
  MPI_Sendrecv(&world_rank, 1, MPI_INT, partner, 1, &thread_got, 1, MPI_INT, partner, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return unused;
}

CASE(another_thread_communicates) {
  pthread_t thread;
  thread_got = thread_is_main = -1;
  pthread_create(&thread, NULL, exchange, NULL);
  pthread_join(thread, NULL);
  CHECK_INT(1 - world_rank, thread_got);
  CHECK_INT(0, thread_is_main);
}

CASE(clock_never_runs_backwards) {
  double before = MPI_Wtime();
  CHECK(MPI_Wtick() > 0.0 && MPI_Wtick() < 1.0);
  for (int i = 0; i < 1000; ++i) {
    const double now = MPI_Wtime();
    CHECK(now >= before);
    before = now;
  }
}

CASE(clock_advances_with_messages) {
  const double before = MPI_Wtime();
  int got = -1;
  for (int i = 0; i < 10; ++i) {
    MPI_Sendrecv(&i, 1, MPI_INT, 1 - world_rank, 0, &got, 1, MPI_INT, 1 - world_rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  CHECK(MPI_Wtime() > before);
}

CASE(processor_name) {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = -1;
  CHECK_OK(MPI_Get_processor_name(name, &length));
  CHECK(length > 0 && (size_t)length == strlen(name));
}

CASE(versions) {
  int version = -1, subversion = -1, length = -1;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_version(&version, &subversion);
#ifdef MPI_ABI_VERSION  // the library of a standard ABI may carry out an older MPI than the header's
  CHECK(version <= MPI_VERSION && subversion >= 0);
#else
  CHECK_INT(MPI_VERSION, version);
  CHECK_INT(MPI_SUBVERSION, subversion);
#endif
  MPI_Get_library_version(text, &length);
  CHECK(length > 0 && (size_t)length == strlen(text));
}

CASE(info_objects) {
  MPI_Info info, twin;
  char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
  int found = -1, count = -1, length = -1;
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "green");
  MPI_Info_set(info, "size", "12");
  MPI_Info_set(info, "colour", "blue");
  MPI_Info_get(info, "colour", 64, value, &found);
  CHECK_INT(1, found);
  CHECK_STRING("blue", value);
  MPI_Info_get_nkeys(info, &count);
  CHECK_INT(2, count);
  MPI_Info_get_nthkey(info, 1, key);
  CHECK_STRING("size", key);
  MPI_Info_get_valuelen(info, "size", &length, &found);
  CHECK_INT(2, length);
  MPI_Info_dup(info, &twin);
  MPI_Info_delete(info, "size");
  MPI_Info_get(info, "size", 64, value, &found);
  CHECK_INT(0, found);
#if MPI_VERSION >= 4
  length = 64;
  MPI_Info_get_string(twin, "size", &length, value, &found);
  CHECK_INT(1, found);
  CHECK_STRING("12", value);
  CHECK_INT(3, length);
#endif
  MPI_Info_free(&info);
  MPI_Info_free(&twin);
  CHECK_SAME(MPI_INFO_NULL, info);
}

CASE(info_of_a_communicator) {
  MPI_Comm comm;
  MPI_Info info, used;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
  CHECK_OK(MPI_Comm_set_info(comm, info));
  CHECK_OK(MPI_Comm_get_info(comm, &used));
  CHECK(used != MPI_INFO_NULL);
  int got = -1;
  MPI_Sendrecv(&world_rank, 1, MPI_INT, 1 - world_rank, 0, &got, 1, MPI_INT, 1 - world_rank, 0, comm,
               MPI_STATUS_IGNORE);
  CHECK_INT(1 - world_rank, got);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

CASE(memory_and_addresses) {
  int* values = NULL;
  MPI_Aint first, third;
  CHECK_OK(MPI_Alloc_mem(16 * sizeof(int), MPI_INFO_NULL, &values));
  fill(values, 16, world_rank);
  MPI_Sendrecv_replace(values, 16, MPI_INT, 1 - world_rank, 0, 1 - world_rank, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  CHECK_INT(-1, first_difference(values, 16, 1 - world_rank));
  MPI_Get_address(&values[0], &first);
  MPI_Get_address(&values[2], &third);
  CHECK_INT(2 * sizeof(int), MPI_Aint_diff(third, first));
  CHECK_INT(third, MPI_Aint_add(first, 2 * sizeof(int)));
  CHECK_OK(MPI_Free_mem(values));
}

CASE(pcontrol_does_no_harm) {
  CHECK_OK(MPI_Pcontrol(1));
}

// The standard ABI of MPI 5.0 leaves these to libraries for Fortran.
#ifndef MPI_ABI_VERSION
#ifndef MPI_F_STATUS_SIZE
#define MPI_F_STATUS_SIZE (sizeof(MPI_Status) / sizeof(MPI_Fint))
#endif
CASE(handles_to_fortran_and_back) {
  CHECK_SAME(MPI_COMM_WORLD, MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)));
  CHECK_SAME(MPI_INT, MPI_Type_f2c(MPI_Type_c2f(MPI_INT)));
  int value = 3, got = -1;
  MPI_Request request;
  MPI_Status status, back;
  MPI_Fint status_f[MPI_F_STATUS_SIZE];
  MPI_Irecv(&got, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &request);
  request = MPI_Request_f2c(MPI_Request_c2f(request));
  MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  CHECK_INT(3, got);
  MPI_Status_c2f(&status, status_f);
  MPI_Status_f2c(status_f, &back);
  CHECK_INT(4, back.MPI_TAG);
}
#endif
