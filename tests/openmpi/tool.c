// A tool as profilers for Open MPI are made: it defines MPI_ functions, and calls the next ones by PMPI_
// names, by the linker (Allreduce), and by what dlsym finds (Send).
#include <dlfcn.h>
#include <stdio.h>

#include "interface.h"

static int reductions, sends;

int MPI_Allreduce(const void* in, void* out, int count, Handle type, Handle op, Handle comm) {
  if (comm == WORLD) ++reductions;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Send(const void* data, int count, Handle type, int dest, int tag, Handle comm) {
  int (*next)(const void*, int, Handle, int, int, Handle) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Send");
  if (type == INT) ++sends;
  return next(data, count, type, dest, tag, comm);
}

__attribute__((destructor)) static void say(void) {
  printf("tool: %d reductions, %d sends\n", reductions, sends);
}
