// Programs whose ranks have several threads in MPI at once.
#pragma once

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <mpi.h>
#include <pthread.h>

static int provided_level = -1;
#define CONFORMANCE_INIT(argc, argv) MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided_level)
#include "conformance.h"

enum { most_threads = 8 };

struct started {
  pthread_t thread;
  void (*body)(int);
  int number;
};

static void* start_body(void* argument) {
  const struct started* started = argument;
  started->body(started->number);
  return NULL;
}

/// Runs `body` in so many threads, numbered from 0, and waits for them.
static void in_threads(int threads, void (*body)(int)) {
  struct started all[most_threads];
  for (int i = 0; i < threads; ++i) {
    all[i].body = body;
    all[i].number = i;
    pthread_create(&all[i].thread, NULL, start_body, &all[i]);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i].thread, NULL);
}

static int right(void) {
  return (world_rank + 1) % world_size;
}
static int left(void) {
  return (world_rank + world_size - 1) % world_size;
}
