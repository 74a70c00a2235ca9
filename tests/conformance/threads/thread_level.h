// What holds at every level of thread support; LEVEL is what the program asks for.
#pragma once

#include <mpi.h>
#include <pthread.h>

#ifdef LEVEL
static int provided_level = -1;
#define CONFORMANCE_INIT(argc, argv) MPI_Init_thread(argc, argv, LEVEL, &provided_level)
#endif
#include "conformance.h"

static void* ask_in_another_thread(void* is_main) {
  MPI_Is_thread_main((int*)is_main);
  return NULL;
}

CASE(query_says_what_was_provided) {
  int level = -1;
  CHECK_OK(MPI_Query_thread(&level));
  CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
#ifdef LEVEL
  CHECK_INT(provided_level, level);
#endif
}

CASE(main_thread_knows_itself) {
  int is_main = -1;
  CHECK_OK(MPI_Is_thread_main(&is_main));
  CHECK_INT(1, is_main);
}

CASE(another_thread_is_not_main) {
  int is_main = -1;
  pthread_t thread;
  pthread_create(&thread, NULL, ask_in_another_thread, &is_main);
  pthread_join(thread, NULL);
  CHECK_INT(0, is_main);
}

CASE(main_thread_communicates_beside_a_computing_one) {
  int is_main = -1, sum = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, ask_in_another_thread, &is_main);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
  CHECK_INT(world_size * (world_size - 1) / 2, sum);
}
