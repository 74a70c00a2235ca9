// A call that is not emulated: an emulated run must end with its name.
#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char port[MPI_MAX_PORT_NAME];
  MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Close_port(port);
  return verdict("unsupported");
}
