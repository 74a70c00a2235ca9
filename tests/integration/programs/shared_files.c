// All ranks open files together again and again, write and read collectively and alone, and close them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { rounds = 20, numbers = 1000 };

static void one_round(const char* path, int round, int rank, int ranks) {
  MPI_File file;
  MPI_Status status;
  int out[numbers], in[numbers], count = -1;
  const MPI_Offset bytes = (MPI_Offset)sizeof out;
  for (int i = 0; i < numbers; ++i) out[i] = round * 100000 + rank * numbers + i;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * bytes, out, numbers, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == numbers, "round %d: wrote %d", round, count);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  const int other = (rank + 1) % ranks;
  memset(in, 0, sizeof in);
  MPI_File_read_at(file, other * bytes, in, numbers, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(in[numbers - 1] == round * 100000 + other * numbers + numbers - 1, "round %d: read %d", round,
        in[numbers - 1]);
  MPI_File_set_view(file, rank * bytes, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_all(file, in, numbers, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(memcmp(in, out, sizeof out) == 0, "round %d: its own block differs", round);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* path = argc > 1 ? argv[1] : "shared.data";
  for (int round = 0; round < rounds; ++round) one_round(path, round, rank, ranks);
  if (rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
  return verdict("shared_files");
}
