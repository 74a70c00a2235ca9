// ranks: 4
// varies: interleaved_nonblocking_collectives_move_while_others_wait_for_messages: its ranks test until
// MPICH's own messages have come, which take no simulated time.
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

CASE(ordered_writes_follow_the_ranks) {
  char name[256];
  fresh_name(name);
  int mine[4], all[40];
  const int count = 1 + world_rank;
  for (int i = 0; i < count; ++i) mine[i] = 10 * world_rank + i;
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_OK(MPI_File_write_ordered(file, mine, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(MPI_File_read_at_all(file, 0, all, 10, MPI_INT, MPI_STATUS_IGNORE));
  int place = 0;
  for (int rank = 0; rank < 4; ++rank)
    for (int i = 0; i <= rank; ++i) CHECK_INT(10 * rank + i, all[place++]);
  MPI_File_close(&file);
}

CASE(shared_pointer_gives_each_write_a_place_of_its_own) {
  char name[256];
  fresh_name(name);
  int all[20], seen[20] = {0};
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  for (int i = 0; i < 5; ++i) {
    const int value = 5 * world_rank + i;
    CHECK_OK(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(MPI_File_read_at_all(file, 0, all, 20, MPI_INT, MPI_STATUS_IGNORE));
  for (int i = 0; i < 20; ++i)
    if (all[i] >= 0 && all[i] < 20) ++seen[all[i]];
  for (int i = 0; i < 20; ++i) CHECK_INT(1, seen[i]);
  MPI_File_close(&file);
}

CASE(requests_of_files_and_messages_in_one_waitall) {
  char name[256];
  fresh_name(name);
  int mine[50], token = world_rank, got = -1;
  fill(mine, 50, world_rank);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  MPI_Irecv(&got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  CHECK_OK(MPI_File_iwrite_at(file, world_rank * (MPI_Offset)sizeof mine, mine, 50, MPI_INT, &requests[1]));
  MPI_Isend(&token, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[2]);
  CHECK_OK(MPI_Waitall(3, requests, statuses));
  CHECK_INT(left, got);
  int count = -1;
  MPI_Get_count(&statuses[1], MPI_INT, &count);
  CHECK_INT(50, count);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  int back[50];
  CHECK_OK(MPI_File_read_at(file, right * (MPI_Offset)sizeof back, back, 50, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_INT(-1, first_difference(back, 50, right));
  MPI_File_close(&file);
}

CASE(nonblocking_collective_io_overlaps_messages) {
  char name[256];
  fresh_name(name);
  int mine[200], back[200], token = -1;
  fill(mine, 200, world_rank);
  const MPI_Offset place = world_rank * (MPI_Offset)sizeof mine;
  MPI_Request request;
  MPI_Status status;
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_OK(MPI_File_iwrite_at_all(file, place, mine, 200, MPI_INT, &request));
  // Each rank waits for its write only when the one before it has done so.
  if (world_rank > 0) MPI_Recv(&token, 1, MPI_INT, world_rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_OK(MPI_Wait(&request, &status));
  if (world_rank + 1 < world_size) MPI_Send(&world_rank, 1, MPI_INT, world_rank + 1, 5, MPI_COMM_WORLD);
  CHECK_INT(world_rank - 1, token);
  int count = -1, flag = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_INT(200, count);
  MPI_File_sync(file);
  CHECK_OK(MPI_File_iread_at_all(file, place, back, 200, MPI_INT, &request));
  while (!flag) CHECK_OK(MPI_Test(&request, &flag, &status));
  CHECK_INT(-1, first_difference(back, 200, world_rank));
  MPI_File_close(&file);
}

CASE(split_collectives_and_seeking) {
  char name[256];
  fresh_name(name);
  int mine[30], back[30];
  fill(mine, 30, world_rank);
  MPI_Offset position = -1;
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_OK(MPI_File_seek(file, world_rank * (MPI_Offset)sizeof mine, MPI_SEEK_SET));
  CHECK_OK(MPI_File_write_all_begin(file, mine, 30, MPI_INT));
  CHECK_OK(MPI_File_write_all_end(file, mine, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_File_get_position(file, &position));
  CHECK_INT((world_rank + 1) * (int)sizeof mine, position);
  CHECK_OK(MPI_File_set_size(file, 4 * sizeof mine));
  CHECK_OK(MPI_File_read_at_all_begin(file, world_rank * (MPI_Offset)sizeof back, back, 30, MPI_INT));
  CHECK_OK(MPI_File_read_at_all_end(file, back, MPI_STATUS_IGNORE));
  CHECK_INT(-1, first_difference(back, 30, world_rank));
  MPI_File_close(&file);
}

CASE(two_files_of_some_ranks) {
  char name[256];
  MPI_Comm part;
  int value = world_rank, sum[2] = {0, 0};
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &part);
  memset(name, 0, sizeof name);
  if (world_rank < 2) {
    const char* folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/conformance-XXXXXX", folder ? folder : "/tmp");
    const int made = mkstemp(name);
    if (made >= 0) close(made);
  }
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, part);
  MPI_File file;
  CHECK_OK(MPI_File_open(part, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  CHECK_OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CHECK_OK(MPI_File_read_at_all(file, 0, sum, 2, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_INT(world_rank % 2, sum[0]);
  CHECK_INT(2 + world_rank % 2, sum[1]);
  MPI_File_close(&file);
  MPI_Comm_free(&part);
}

/// A fresh file in which every rank sees its own of four columns of ints: what the ranks do together goes
/// through two phases of messages.
static MPI_File open_columns(void) {
  char name[256];
  fresh_name(name);
  MPI_Datatype column;
  MPI_Type_vector(1000, 1, world_size, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_File file = open_file(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_OK(MPI_File_set_view(file, world_rank * (MPI_Offset)sizeof(int), MPI_INT, column, "native",
                             MPI_INFO_NULL));
  MPI_Type_free(&column);
  return file;
}

CASE(interleaved_nonblocking_collectives_end_in_wait) {
  int mine[1000], back[1000];
  fill(mine, 1000, world_rank);
  MPI_Request request;
  MPI_Status status;
  int count = -1;
  MPI_File file = open_columns();
  CHECK_OK(MPI_File_iwrite_all(file, mine, 1000, MPI_INT, &request));
  CHECK_OK(MPI_Wait(&request, &status));
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_INT(1000, count);
  CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK_OK(MPI_File_iread_all(file, back, 1000, MPI_INT, &request));
  CHECK_OK(MPI_Wait(&request, &status));
  CHECK_INT(-1, first_difference(back, 1000, world_rank));
  DIGEST(back, sizeof back);
  MPI_File_close(&file);
}

CASE(interleaved_nonblocking_collectives_end_in_test) {
  int mine[1000], back[1000], flag = 0;
  fill(mine, 1000, world_rank);
  MPI_Request request;
  MPI_Status status;
  MPI_File file = open_columns();
  CHECK_OK(MPI_File_iwrite_at_all(file, 0, mine, 1000, MPI_INT, &request));
  while (!flag) CHECK_OK(MPI_Test(&request, &flag, &status));
  CHECK_OK(MPI_File_iread_at_all(file, 0, back, 1000, MPI_INT, &request));
  for (flag = 0; !flag;) CHECK_OK(MPI_Testall(1, &request, &flag, &status));
  CHECK_INT(-1, first_difference(back, 1000, world_rank));
  MPI_File_close(&file);
}

CASE(interleaved_nonblocking_collectives_among_messages) {
  int mine[1000], back[1000], got = -1, index = -1;
  fill(mine, 1000, world_rank);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Request requests[3];
  MPI_File file = open_columns();
  MPI_Irecv(&got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  CHECK_OK(MPI_File_iwrite_at_all(file, 0, mine, 1000, MPI_INT, &requests[1]));
  MPI_Isend(&world_rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[2]);
  CHECK_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  CHECK_INT(left, got);
  CHECK_OK(MPI_File_iread_at_all(file, 0, back, 1000, MPI_INT, &requests[0]));
  requests[1] = MPI_REQUEST_NULL;
  CHECK_OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
  CHECK_INT(0, index);
  CHECK_SAME(MPI_REQUEST_NULL, requests[0]);
  CHECK_INT(-1, first_difference(back, 1000, world_rank));
  MPI_File_close(&file);
}

// The first to write wants an answer of all others before it waits, and these are in a receive meanwhile.
CASE(interleaved_nonblocking_collectives_move_while_others_wait_for_messages) {
  int mine[1000], token = 0;
  fill(mine, 1000, world_rank);
  MPI_Request request;
  MPI_File file = open_columns();
  CHECK_OK(MPI_File_iwrite_all(file, mine, 1000, MPI_INT, &request));
  if (world_rank == 0) {
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 1; r < world_size; ++r) MPI_Send(&token, 1, MPI_INT, r, 6, MPI_COMM_WORLD);
  } else {
    int flag = 0;
    // MPICH moves a request of a file only when it is tested: here a native run needs that.
    while (!flag) {
      int came = 0;
      MPI_Iprobe(0, 6, MPI_COMM_WORLD, &came, MPI_STATUS_IGNORE);
      CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    }
    MPI_Recv(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

// Several collective accesses of one file under way: MPICH's steps of each are collective operations.

/// Hints by which the ranks exchange data also where each of them could write alone.
static MPI_Info exchanging(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Info_set(info, "romio_cb_read", "enable");
  return info;
}

CASE(several_accesses_at_places_are_under_way) {
  enum { accesses = 4, items = 500 };
  char name[256];
  fresh_name(name);
  int mine[accesses][items], back[accesses][items];
  MPI_Request requests[accesses];
  MPI_Info info = exchanging();
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file));
  for (int i = 0; i < accesses; ++i) {
    fill(mine[i], items, 10 * world_rank + i);
    const MPI_Offset place = (i * world_size + world_rank) * (MPI_Offset)sizeof mine[i];
    CHECK_OK(MPI_File_iwrite_at_all(file, place, mine[i], items, MPI_INT, &requests[i]));
  }
  CHECK_OK(MPI_Waitall(accesses, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < accesses; ++i) {
    const MPI_Offset place = (i * world_size + world_rank) * (MPI_Offset)sizeof mine[i];
    CHECK_OK(MPI_File_iread_at_all(file, place, back[i], items, MPI_INT, &requests[i]));
  }
  CHECK_OK(MPI_Waitall(accesses, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < accesses; ++i) {
    CHECK_INT(-1, first_difference(back[i], items, 10 * world_rank + i));
    DIGEST(back[i], sizeof back[i]);
  }
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

CASE(several_accesses_at_the_ranks_pointer_are_under_way) {
  int mine[3][300], back[3][300], count = -1;
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_Offset position = -1;
  MPI_Datatype triple;
  MPI_Type_contiguous(3, MPI_INT, &triple);
  MPI_Type_commit(&triple);
  MPI_File file = open_columns();
  for (int i = 0; i < 3; ++i) {
    fill(mine[i], 300, 10 * world_rank + i);
    CHECK_OK(MPI_File_iwrite_all(file, mine[i], 100, triple, &requests[i]));
  }
  CHECK_OK(MPI_Waitall(3, requests, statuses));
  MPI_Get_count(&statuses[2], MPI_INT, &count);
  CHECK_INT(300, count);
  MPI_File_get_position(file, &position);
  CHECK_INT(900, position);
  CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  for (int i = 0; i < 3; ++i) CHECK_OK(MPI_File_iread_all(file, back[i], 300, MPI_INT, &requests[i]));
  CHECK_OK(MPI_Waitall(3, requests, statuses));
  for (int i = 0; i < 3; ++i) CHECK_INT(-1, first_difference(back[i], 300, 10 * world_rank + i));
  MPI_File_get_position(file, &position);
  CHECK_INT(900, position);
  MPI_Type_free(&triple);
  MPI_File_close(&file);
}

CASE(accesses_of_two_files_are_under_way) {
  int mine[2][1000], back[2][1000];
  MPI_Request requests[2];
  MPI_File files[2] = {open_columns(), open_columns()};
  for (int i = 0; i < 2; ++i) {
    fill(mine[i], 1000, 10 * world_rank + i);
    CHECK_OK(MPI_File_iwrite_at_all(files[i], 0, mine[i], 1000, MPI_INT, &requests[i]));
  }
  CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(MPI_File_read_at_all(files[i], 0, back[i], 1000, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(-1, first_difference(back[i], 1000, 10 * world_rank + i));
    MPI_File_close(&files[i]);
  }
}

CASE(hints_name_the_hosts_whose_ranks_write) {
  char name[256], host[MPI_MAX_PROCESSOR_NAME], hint[MPI_MAX_PROCESSOR_NAME + 4];
  int length = 0, mine[100], back[100];
  fresh_name(name);
  memset(host, 0, sizeof host);
  MPI_Get_processor_name(host, &length);
  MPI_Bcast(host, 128, MPI_CHAR, 0, MPI_COMM_WORLD);  // no name is longer; other interfaces' room is
  snprintf(hint, sizeof hint, "%s:1", host);
  MPI_Info info = exchanging();
  MPI_Info_set(info, "cb_config_list", hint);
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file));
  fill(mine, 100, world_rank);
  const MPI_Offset place = world_rank * (MPI_Offset)sizeof mine;
  CHECK_OK(MPI_File_write_at_all(file, place, mine, 100, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_File_read_at_all(file, place, back, 100, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_INT(-1, first_difference(back, 100, world_rank));
  MPI_Info_free(&info);
  MPI_File_close(&file);
}
