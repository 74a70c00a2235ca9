// A call that is not emulated: an emulated run must end with its name.
#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int data = 0, *memory = NULL;
  MPI_Win window;
  MPI_Win_allocate(sizeof data, sizeof data, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_free(&window);
  return verdict("unsupported");
}
