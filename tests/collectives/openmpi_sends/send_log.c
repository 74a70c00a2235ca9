// Preloaded into a program over Open MPI 4.1: writes down the length and the receiver of every send below its
// collectives, whose components call the point-to-point layer by the table `mca_pml` (ompi/mca/pml/pml.h).
// See record.sh. Receivers are ranks of MPI_COMM_WORLD and its copies; persistent sends count when they are
// made.
#define _GNU_SOURCE
#include "../mpich_sends/send_log.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>

long logged_sends;
struct LoggedSend send_log[MOST_LOGGED_SENDS];

typedef int (*Isend)(const void*, size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request*);
typedef int (*Send)(const void*, size_t, MPI_Datatype, int, int, int, MPI_Comm);

enum { ISEND_INIT = 9, ISEND = 10, SEND = 11 };  // places in the table
static Isend real_isend_init, real_isend;
static Send real_send;

static void note(size_t count, MPI_Datatype type, int to) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if (logged_sends < MOST_LOGGED_SENDS)
    send_log[logged_sends] = (struct LoggedSend){(void*)(intptr_t)(to + 1), (long)count * size};
  ++logged_sends;
}

static int isend_init(const void* from, size_t count, MPI_Datatype type, int to, int tag, int mode,
                      MPI_Comm comm, MPI_Request* request) {
  note(count, type, to);
  return real_isend_init(from, count, type, to, tag, mode, comm, request);
}
static int isend(const void* from, size_t count, MPI_Datatype type, int to, int tag, int mode, MPI_Comm comm,
                 MPI_Request* request) {
  note(count, type, to);
  return real_isend(from, count, type, to, tag, mode, comm, request);
}
static int send(const void* from, size_t count, MPI_Datatype type, int to, int tag, int mode, MPI_Comm comm) {
  note(count, type, to);
  return real_send(from, count, type, to, tag, mode, comm);
}

int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  void** table = dlsym(RTLD_DEFAULT, "mca_pml");
  real_isend_init = (Isend)table[ISEND_INIT];
  real_isend = (Isend)table[ISEND];
  real_send = (Send)table[SEND];
  table[ISEND_INIT] = (void*)isend_init;
  table[ISEND] = (void*)isend;
  table[SEND] = (void*)send;
  return result;
}
