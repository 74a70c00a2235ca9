// A program that may be linked to a profiler, and counts some of its calls itself.
#include "check.h"

static int probes;

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  ++probes;
  return PMPI_Probe(source, tag, comm, status);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, value = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Pcontrol(1);
  for (int round = 0; round < 5 && rank < 2; ++round) {
    MPI_Status status;
    if (rank == 0) {
      MPI_Send(&round, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
      MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
      CHECK(value == round && status.MPI_TAG == 3, "got %d in round %d", value, round);
    }
  }
  MPI_Pcontrol(0);
  CHECK(rank != 1 || probes == 5, "%d probes were seen", probes);
  return verdict("profiled");
}
