// What one rank did before a barrier, others find after it; outside of MPI, too. The argument names a file,
// which rank 0 makes and removes.
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static volatile double sink;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[100] = "";
  if (argc < 2 && rank == 0) snprintf(name, sizeof name, "/tmp/morgana-order-%d", (int)getpid());
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  const char* path = argc > 1 ? argv[1] : name;
  for (int round = 0; round < 3; ++round) {
    if (rank == 0) {
      for (long i = 0; i < 30000000; ++i) sink += (double)i;  // the others are long there
      FILE* file = fopen(path, "w");
      CHECK(file != NULL, "cannot write %s", path);
      fprintf(file, "%d\n", round);
      fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    FILE* file = fopen(path, "r");
    int found = -1;
    CHECK(file != NULL && fscanf(file, "%d", &found) == 1 && found == round, "found %d in round %d", found,
          round);
    if (file != NULL) fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access(path, F_OK) != 0, "%s is still there", path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return verdict("order");
}
