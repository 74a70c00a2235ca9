// Makes communicators until there are ten thousand or MPI refuses to make more (MPICH does after about two
// thousand); each is used. After they have been freed there is room again.
#include <stdlib.h>

#include "check.h"

enum { wanted = 10000 };

static int duplicate(MPI_Comm* made) { return MPI_Comm_dup(MPI_COMM_WORLD, made); }

static int split(MPI_Comm* made) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, made);
}

static int duplicate_self(MPI_Comm* made) { return MPI_Comm_dup(MPI_COMM_SELF, made); }

static void exhaust(const char* how, int (*make)(MPI_Comm*)) {
  static MPI_Comm made[wanted];
  int count = 0, code = MPI_SUCCESS, class = MPI_SUCCESS, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (count < wanted && (code = make(&made[count])) == MPI_SUCCESS) {
    int sum = 0, size = 0;
    const int one = 1;
    MPI_Comm_size(made[count], &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made[count]);
    CHECK(sum == size, "%s: communicator %d adds up to %d, not %d", how, count, sum, size);
    ++count;
  }
  MPI_Error_class(code, &class);
  if (rank == 0)
    printf("%s: %s, class %d\n", how, count > 1000 ? "more than a thousand" : "too few", class);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&made[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  exhaust("dup", duplicate);
  exhaust("split", split);
  exhaust("dup of self", duplicate_self);
  MPI_Comm again = MPI_COMM_NULL;
  CHECK(duplicate(&again) == MPI_SUCCESS, "no room although all were freed");
  if (again != MPI_COMM_NULL) MPI_Comm_free(&again);
  return verdict("many_communicators");
}
