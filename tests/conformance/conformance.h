// What every program of the conformance suite is made of. A program is a list of cases:
//
//   // ranks: 4
//   #include "conformance.h"
//
//   CASE(ring) {
//     int got = -1;
//     MPI_Sendrecv(&world_rank, 1, MPI_INT, (world_rank + 1) % world_size, 0, &got, ...);
//     CHECK_INT((world_rank + world_size - 1) % world_size, got);
//     DIGEST(&got, sizeof got);
//   }
//
// Every rank runs every case, in the order of the file, or only those named on the command line. Rank 0
// prints one line per case, PASS or the first failure of the lowest rank that failed; at the end one line per
// rank with a digest of what the cases received. Nothing printed depends on time, addresses or the order in
// which ranks run, so that the output of a native run can be compared line by line with that of an emulated
// one. A case must not leave anything pending; the harness looks for messages left in MPI_COMM_WORLD. A
// failed check does not end its case, or the other ranks would wait in vain for the rest of it.
//
// Before the include a program may define CONFORMANCE_INIT(argc, argv) as its own way to initialise MPI. A
// line
// "// no replay: reason" tells the driver that the run's trace can't be replayed to the same time, and why; a
// line "// one host" that the ranks share one.
#pragma once

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CONFORMANCE_INIT
#define CONFORMANCE_INIT(argc, argv) MPI_Init(argc, argv)
#endif

#define CONFORMANCE_UNUSED __attribute__((unused))
enum { conformance_max_cases = 256, conformance_text = 240 };

static int world_rank CONFORMANCE_UNUSED = 0, world_size CONFORMANCE_UNUSED = 1;

static struct {
  const char* name;
  void (*run)(void);
} conformance_cases[conformance_max_cases];
static int conformance_case_count = 0;
static char
    conformance_failure[conformance_text];  // the first of the running case on this rank; empty if none
static uint64_t conformance_digest = 14695981039346656037u;

// A case is registered before main runs; constructors of one file run in the order of the file.
#define CASE(called)                                                 \
  static void case_##called(void);                                   \
  __attribute__((constructor)) static void register_##called(void) { \
    if (conformance_case_count == conformance_max_cases) abort();    \
    conformance_cases[conformance_case_count].name = #called;        \
    conformance_cases[conformance_case_count++].run = case_##called; \
  }                                                                  \
  static void case_##called(void)

#define CONFORMANCE_FAIL(...)                                                                                \
  do {                                                                                                       \
    if (conformance_failure[0] == 0) {                                                                       \
      const char* slash_ = strrchr(__FILE__, '/');                                                           \
      int used_ = snprintf(conformance_failure, conformance_text, "%s:%d: ", slash_ ? slash_ + 1 : __FILE__, \
                           __LINE__);                                                                        \
      if (used_ > 0 && used_ < conformance_text)                                                             \
        snprintf(conformance_failure + used_, conformance_text - (size_t)used_, __VA_ARGS__);                \
    }                                                                                                        \
  } while (0)

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) CONFORMANCE_FAIL("expected %s, got false", #condition); \
  } while (0)

// For every kind of integer: int, MPI_Aint, MPI_Count and MPI_Offset.
#define CHECK_INT(expected, got)                                                                   \
  do {                                                                                             \
    const long long expected_ = (long long)(expected), got_ = (long long)(got);                    \
    if (expected_ != got_) CONFORMANCE_FAIL("%s: expected %lld, got %lld", #got, expected_, got_); \
  } while (0)

#define CHECK_STRING(expected, got)                                                     \
  do {                                                                                  \
    const char *expected_ = (expected), *got_ = (got);                                  \
    if (strcmp(expected_, got_) != 0)                                                   \
      CONFORMANCE_FAIL("%s: expected \"%.60s\", got \"%.60s\"", #got, expected_, got_); \
  } while (0)

// Handles (MPI_Comm, MPI_Request and so on) are compared, not printed.
#define CHECK_SAME(expected, got)                                                               \
  do {                                                                                          \
    if ((expected) != (got)) CONFORMANCE_FAIL("%s: expected %s, got another", #got, #expected); \
  } while (0)

// The call must succeed; under MPI_ERRORS_ARE_FATAL it would end the program anyway.
#define CHECK_OK(call) CHECK_CLASS(MPI_SUCCESS, call)

// The code that a call returned must be of this error class.
#define CHECK_CLASS(expected, code)                                                                        \
  do {                                                                                                     \
    int class_ = -1;                                                                                       \
    MPI_Error_class((code), &class_);                                                                      \
    if (class_ != (expected)) CONFORMANCE_FAIL("%s: expected %s, got class %d", #code, #expected, class_); \
  } while (0)

// Adds bytes that this rank received to its digest (FNV-1a).
#define DIGEST(data, bytes) conformance_add((data), (size_t)(bytes))

static void conformance_add(const void* data, size_t bytes) CONFORMANCE_UNUSED;
static void conformance_add(const void* data, size_t bytes) {
  const unsigned char* from = (const unsigned char*)data;
  for (size_t i = 0; i < bytes; ++i) conformance_digest = (conformance_digest ^ from[i]) * 1099511628211u;
}

// A value that tells place `i` of stream `stream` from all others nearby; fits every signed type of 32 bits.
static int pattern(int stream, int i) CONFORMANCE_UNUSED;
static int pattern(int stream, int i) {
  uint32_t x = (uint32_t)stream * 2654435761u + (uint32_t)i * 40503u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return (int)(x & 0x7fffffffu);
}

static void fill(int* values, int count, int stream) CONFORMANCE_UNUSED;
static void fill(int* values, int count, int stream) {
  for (int i = 0; i < count; ++i) values[i] = pattern(stream, i);
}

// The first place at which `values` differ from what fill() wrote, or -1.
static int first_difference(const int* values, int count, int stream) CONFORMANCE_UNUSED;
static int first_difference(const int* values, int count, int stream) {
  for (int i = 0; i < count; ++i) {
    if (values[i] != pattern(stream, i)) return i;
  }
  return -1;
}

// The harness talks on a communicator of its own.
static MPI_Comm conformance_comm;

static int conformance_run(int index) {
  conformance_failure[0] = 0;
  conformance_cases[index].run();

  MPI_Barrier(conformance_comm);
  int left = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
  if (left) CONFORMANCE_FAIL("expected no message left in MPI_COMM_WORLD, got one");

  static char all[64][conformance_text];
  MPI_Gather(conformance_failure, conformance_text, MPI_CHAR, all, conformance_text, MPI_CHAR, 0,
             conformance_comm);
  int failed = 0;
  if (world_rank == 0) {
    for (int rank = 0; rank < world_size && !failed; ++rank) {
      if (all[rank][0] == 0) continue;
      printf("case %s: FAIL (rank %d: %s)\n", conformance_cases[index].name, rank, all[rank]);
      failed = 1;
    }
    if (!failed) printf("case %s: PASS\n", conformance_cases[index].name);
    fflush(stdout);
  }
  MPI_Barrier(conformance_comm);
  return failed;
}

static int conformance_wanted(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(name, argv[i]) == 0) return 1;
  }
  return argc <= 1;
}

int main(int argc, char** argv) {
  CONFORMANCE_INIT(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_dup(MPI_COMM_WORLD, &conformance_comm);

  int failures = 0, ran = 0;
  for (int i = 0; i < conformance_case_count; ++i) {
    if (!conformance_wanted(conformance_cases[i].name, argc, argv)) continue;
    failures += conformance_run(i);
    ++ran;
  }
  uint64_t digests[64];
  MPI_Gather(&conformance_digest, 1, MPI_UINT64_T, digests, 1, MPI_UINT64_T, 0, conformance_comm);
  if (world_rank == 0) {
    for (int rank = 0; rank < world_size; ++rank) {
      printf("rank %d received %016llx\n", rank, (unsigned long long)digests[rank]);
    }
    printf("%d cases, %d failed\n", ran, failures);
  }
  MPI_Bcast(&failures, 1, MPI_INT, 0, conformance_comm);
  MPI_Comm_free(&conformance_comm);
  MPI_Finalize();
  return failures == 0 && ran > 0 ? 0 : 1;
}
