// Each rank says on which processor it is.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, length;
  char name[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(name, &length);
  printf("rank %d on %.*s;\n", rank, length, name);
  MPI_Finalize();
  return 0;
}
