// ranks: 4
// refused: MPI_File_open
// MPI-IO on a temporary file that rank 0 names and the program deletes.
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "conformance.h"

/// The name of a fresh file, the same on every rank.
static void fresh_name(char name[256]) {
  memset(name, 0, 256);
  if (world_rank == 0) {
    const char* folder = getenv("TMPDIR");
    snprintf(name, 256, "%s/conformance-XXXXXX", folder ? folder : "/tmp");
    const int made = mkstemp(name);
    if (made >= 0) close(made);
  }
  MPI_Bcast(name, 256, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static MPI_File open_file(const char* name, int mode) {
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file));
  return file;
}

CASE(write_at_all_then_read_the_neighbours_part) {
  char name[256];
  fresh_name(name);
  int mine[100], got[100];
  fill(mine, 100, world_rank);
  MPI_Status status;
  int count = 0;
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_CREATE);
  CHECK_OK(MPI_File_write_at_all(file, world_rank * (MPI_Offset)sizeof mine, mine, 100, MPI_INT, &status));
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_INT(100, count);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  const int other = (world_rank + 1) % world_size;
  CHECK_OK(MPI_File_read_at(file, other * (MPI_Offset)sizeof mine, got, 100, MPI_INT, &status));
  CHECK_INT(-1, first_difference(got, 100, other));
  DIGEST(got, sizeof got);
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  CHECK_INT(400 * sizeof(int), size);
  MPI_File_close(&file);
  if (world_rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
}

CASE(views_interleave_columns) {
  char name[256];
  fresh_name(name);
  MPI_Datatype column;
  int mine[10], all[80];
  fill(mine, 10, world_rank);
  MPI_Type_vector(10, 1, world_size, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_File file = open_file(name, MPI_MODE_RDWR);
  MPI_File_set_view(file, world_rank * (MPI_Offset)sizeof(int), MPI_INT, column, "native", MPI_INFO_NULL);
  CHECK_OK(MPI_File_write_all(file, mine, 10, MPI_INT, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  file = open_file(name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_OK(MPI_File_read_all(file, all, 10 * world_size, MPI_INT, MPI_STATUS_IGNORE));
  for (int i = 0; i < 10 * world_size; ++i) CHECK_INT(pattern(i % world_size, i / world_size), all[i]);
  MPI_File_close(&file);
  MPI_Type_free(&column);
}

CASE(files_between_messages) {
  char name[256];
  fresh_name(name);
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  int token = world_rank;
  for (int round = 0; round < 3; ++round) {
    const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, (MPI_Offset)sizeof(int) * (world_size * round + world_rank), &token, 1, MPI_INT,
                      MPI_STATUS_IGNORE);
  }
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  int all[32];
  MPI_File_read_at_all(file, 0, all, 3 * world_size, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3 * world_size; ++i) {
    CHECK_INT((i % world_size + 2 * world_size - 1 - i / world_size) % world_size, all[i]);
  }
  MPI_File_close(&file);
}

CASE(a_missing_file_is_an_error_that_returns) {
  MPI_File file = MPI_FILE_NULL;
  CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_WORLD, "/nonexistent/conformance", MPI_MODE_RDONLY,
                                                  MPI_INFO_NULL, &file));
}
