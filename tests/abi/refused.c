// Calls what the stand-in does not carry out: by its argument.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  static char room[1000];
  MPI_Init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "automatic") == 0)
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, sizeof room);
  else if (argc > 1) {
    MPI_Info info;
    MPI_Get_hw_resource_info(&info);
  }
  MPI_Finalize();
  return puts("got on") < 0;
}
