// A program that is not linked to MPI: it loads the library itself and asks for the functions by name.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* library;

static void* function(const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    printf("FAIL: no %s\n", name);
    exit(1);
  }
  return found;
}

int main(int argc, char** argv) {
  library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("FAIL: %s\n", dlerror());
    return 1;
  }
  int (*init)(int*, char***) = (int (*)(int*, char***))function("MPI_Init");
  int (*rank_of)(MPI_Comm, int*) = (int (*)(MPI_Comm, int*))function("MPI_Comm_rank");
  int (*size_of)(MPI_Comm, int*) = (int (*)(MPI_Comm, int*))function("PMPI_Comm_size");
  int (*sum_up)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) =
      (int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm))function("MPI_Allreduce");
  double (*now)(void) = (double (*)(void))function("PMPI_Wtime");
  int (*finalize)(void) = (int (*)(void))function("MPI_Finalize");
  init(&argc, &argv);
  int rank, size, sum = -1, wrong = 0;
  rank_of(MPI_COMM_WORLD, &rank);
  size_of(MPI_COMM_WORLD, &size);
  sum_up(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != size * (size - 1) / 2) wrong = 1;
  if (argc > 1 && strcmp(argv[1], "simulated") == 0) {
    // Simulated sleep takes no time of the machine's, and MPI's clock shows it: the calls are emulated.
    const double begin = now();
    sleep(1000);
    if (now() - begin < 1000) wrong = 1;
  }
  int total = 0;
  sum_up(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s dlopened\n", total == 0 ? "PASS" : "FAIL");
  finalize();
  return total == 0 ? 0 : 1;
}
