/* Says how the ranks' MPICH reach each other: whether this process holds a socket of the shim's for them. And
   exercises all that is left to MPICH: communicators, windows, a file's collective calls, large ones too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The abstract name "@morgana/RANK/..." of this machine's sockets stands behind its inode. */
static int has_letters(int rank) {
  char line[512], beginning[64];
  int found = 0;
  FILE* sockets = fopen("/proc/net/unix", "r");
  snprintf(beginning, sizeof beginning, "@morgana/%d/", rank);
  while (sockets != NULL && fgets(line, sizeof line, sockets) != NULL) {
    unsigned long inode = 0;
    char name[256] = "";
    if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %255s", &inode, name) != 2) continue;
    if (strncmp(name, beginning, strlen(beginning)) != 0) continue;
    for (int descriptor = 0; descriptor < 256; ++descriptor) {
      char link[64], target[64] = "", wanted[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
      snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
      if (readlink(link, target, sizeof target - 1) > 0 && strcmp(target, wanted) == 0) found = 1;
    }
  }
  if (sockets != NULL) fclose(sockets);
  return found;
}

static int use_mpich(int rank, int ranks, const char* name) {
  enum { each = 300000 };
  int right = 1;
  MPI_Comm half, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(half, &copy);

  /* Natively MPICH 4.0.2 over UCX shifts windows that are not aligned to pages. */
  enum { page = 65536 };
  int* memory = aligned_alloc(page, page);
  MPI_Win window;
  MPI_Win_create(memory, page, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  right = right && *memory == (rank + ranks - 1) % ranks;
  MPI_Win_free(&window);
  free(memory);

  /* Interleaved, so that two-phase writing exchanges most of it between the ranks. */
  int* data = malloc(each * sizeof *data);
  for (int i = 0; i < each; ++i) data[i] = i * ranks + rank;
  MPI_Datatype every;
  MPI_Type_vector(each, 1, ranks, MPI_INT, &every);
  MPI_Type_commit(&every);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, rank * (int)sizeof *data, MPI_INT, every, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, data, each, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_at_all(file, (MPI_Offset)rank * each, data, each, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; i < each; ++i) right = right && data[i] == rank * each + i;
  MPI_File_close(&file);
  MPI_Type_free(&every);
  free(data);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  return right;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int letters = has_letters(rank), all = use_mpich(rank, ranks, argv[1]);
  int sum[2] = {letters, all}, sums[2];
  MPI_Reduce(sum, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("letters %d, right %d, machine %s\n", sums[0], sums[1],
           getenv("HWLOC_SYNTHETIC") == NULL ? "whole" : "plain");
  MPI_Finalize();
  return 0;
}
