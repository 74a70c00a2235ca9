// A call whose arguments are not valid and that MPICH carries out all the same, as the argument says: an
// emulated run must end with its name, and not let MPICH exchange messages that nobody sees.
#include <string.h>

#include "check.h"

int main(int argc, char** argv) {
  int rank, ranks, all[8] = {0}, ones[8], places[8];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* call = argc > 1 ? argv[1] : "MPI_Scatter";
  for (int r = 0; r < 8; ++r) ones[r] = 1, places[r] = r;
  // MPI_IN_PLACE is the root's alone.
  if (strcmp(call, "MPI_Scatter") == 0)
    MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (strcmp(call, "MPI_Iscatterv") == 0) {
    MPI_Iscatterv(all, ones, places, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(call, "MPI_Gather") == 0)
    MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  // MPICH says nothing of a request that it has made.
  if (strcmp(call, "MPI_Psend_init") == 0)
    MPI_Psend_init(all, 0, 0, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  return verdict("unrefused");
}
