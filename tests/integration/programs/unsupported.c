// A call that is not emulated, of those named here: an emulated run must end with its name.
#include <string.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* call = argc > 1 ? argv[1] : "MPI_Open_port";
  char port[MPI_MAX_PORT_NAME];
  int flag = 1;
  MPI_Comm shrunk;
  MPI_Group failed;
  if (strcmp(call, "MPI_Open_port") == 0) MPI_Open_port(MPI_INFO_NULL, port);
  if (strcmp(call, "MPIX_Comm_agree") == 0) MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
  if (strcmp(call, "MPIX_Comm_failure_ack") == 0) MPIX_Comm_failure_ack(MPI_COMM_WORLD);
  if (strcmp(call, "MPIX_Comm_failure_get_acked") == 0) MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &failed);
  if (strcmp(call, "MPIX_Comm_revoke") == 0) MPIX_Comm_revoke(MPI_COMM_WORLD);
  if (strcmp(call, "MPIX_Comm_shrink") == 0) MPIX_Comm_shrink(MPI_COMM_WORLD, &shrunk);
  return verdict("unsupported");
}
