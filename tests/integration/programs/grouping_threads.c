// Several threads of each rank make communicators of the same group at once, each thread with a tag of its own, and use
// them. Argument: of which groups: "all", "some" (the first two ranks) or "both".
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { threads = 2, repeats = 3 };

static int rank, size;
static MPI_Group all, some;
static const char* which;

static void use(MPI_Group group, int members, int tag) {
  MPI_Comm made;
  MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made);
  int sum = 0, given = 1 << 8 * tag;
  MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, made);
  CHECK(sum == members * given, "thread %d has met another one: %x", tag, (unsigned)sum);
  MPI_Comm_free(&made);
}

static void* make(void* number) {
  const int tag = (int)(long)number;
  for (int i = 0; i < repeats; ++i) {
    if (strcmp(which, "all") != 0 && rank < 2) use(some, 2, tag);
    if (strcmp(which, "some") != 0) use(all, size, tag);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  which = argc > 1 ? argv[1] : "both";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int first[] = {0, 1};
  MPI_Group_incl(all, 2, first, &some);
  pthread_t others[threads];
  // The ranks begin with different threads.
  for (long i = 0; i < threads; ++i) pthread_create(&others[i], NULL, make, (void*)((i + rank) % threads));
  for (int i = 0; i < threads; ++i) pthread_join(others[i], NULL);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  return verdict("grouping_threads");
}
