// Rank 1 sends at once in its own time, but takes long to get there in real time; rank 2 sleeps first and
// sends quickly. In simulated time rank 1's message arrives first, in real time (without an emulator) rank
// 2's may. With "simulated" as an argument, the order of simulated time is checked. Run it with --compute
// none: real work then takes no simulated time.
#include <string.h>
#include <unistd.h>

#include "check.h"

static volatile double sink;

static void work_long(void) {
  for (long i = 0; i < 400000000; ++i) sink += (double)i;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int simulated = argc > 1 && strcmp(argv[1], "simulated") == 0;
  int rank, order[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && simulated) work_long();
  if (rank == 2) usleep(simulated ? 5000 : 50000);
  if (rank == 1 || rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
  for (int i = 0; i < 2 && rank == 0; ++i) {
    MPI_Status status;
    MPI_Recv(&order[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == order[i] && status.MPI_TAG == order[i], "status says %d, tag %d; data say %d",
          status.MPI_SOURCE, status.MPI_TAG, order[i]);
  }
  if (rank == 0) CHECK(order[0] == 1 && order[1] == 2, "came in the order %d, %d", order[0], order[1]);
  return verdict("wildcards");
}
