/* Rank 0 sends to rank 1 over a network that dies meanwhile: what is sent after 1 s of its clock comes back.
 * returned CALL [fatal|finish]: which call finds out, and whether its errors stay fatal. A handled error is
 * printed: its class, and what is in the statuses. Then rank 0 ends the run, or both finish it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { bytes = 200000, tag = 3, goes_on = 9 };

static void print_class(const char* what, int error) {
  int class = error;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &class);
  printf("%s: %s\n", what,
         class == MPI_SUCCESS         ? "success"
         : class == MPI_ERR_OTHER     ? "MPI_ERR_OTHER"
         : class == MPI_ERR_IN_STATUS ? "MPI_ERR_IN_STATUS"
                                      : "another error");
}

static int is_made_together(const char* call) {
  return strcmp(call, "dup") == 0 || strcmp(call, "idup") == 0 || strcmp(call, "split") == 0 ||
         strcmp(call, "intercomm") == 0 || strcmp(call, "window") == 0;
}

/* What both ranks make: rank 1 never hears of rank 0. */
static int make_together(const char* call, char* data) {
  MPI_Comm made;
  MPI_Win window;
  MPI_Request request;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(call, "dup") == 0) return MPI_Comm_dup(MPI_COMM_WORLD, &made);
  if (strcmp(call, "split") == 0) return MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &made);
  if (strcmp(call, "window") == 0)
    return MPI_Win_create(data, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (strcmp(call, "intercomm") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    return MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, tag, &made);
  }
  MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_by(const char* call, char* data, MPI_Win window) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int flag = 0, at = -1, error = MPI_SUCCESS;
  if (strcmp(call, "send") == 0) {
    print_class(call, MPI_Send(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
  } else if (strcmp(call, "small") == 0) {
    print_class(call, MPI_Send(data, 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
  } else if (strcmp(call, "ssend") == 0) {
    print_class(call, MPI_Ssend(data, 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
  } else if (strcmp(call, "sendrecv") == 0) {
    print_class(call, MPI_Sendrecv(data, bytes, MPI_BYTE, 1, tag, NULL, 0, MPI_BYTE, MPI_PROC_NULL, tag,
                                   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else if (strcmp(call, "exchange") == 0) {
    print_class(call, MPI_Sendrecv(data, bytes, MPI_BYTE, 1, tag, data, bytes, MPI_BYTE, 1, tag,
                                   MPI_COMM_WORLD, statuses));
  } else if (strcmp(call, "isendrecv") == 0) {
    MPI_Isendrecv(data, bytes, MPI_BYTE, 1, tag, data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests);
    print_class(call, MPI_Wait(requests, statuses));
  } else if (strcmp(call, "waitsome") == 0) {
    int done = 0, indices[2];
    MPI_Isend(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests + 1);
    print_class(call, MPI_Waitsome(2, requests, &done, indices, statuses));
    printf("%d of them\n", done);
  } else if (strcmp(call, "wait") == 0) {
    MPI_Isend(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests);
    print_class(call, MPI_Wait(requests, statuses));
  } else if (strcmp(call, "test") == 0) {
    MPI_Isend(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests);
    while (error == MPI_SUCCESS && !flag) error = MPI_Test(requests, &flag, statuses);
    print_class(call, error);
  } else if (strcmp(call, "waitany") == 0) {
    MPI_Isend(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests + 1);
    print_class(call, MPI_Waitany(2, requests, &at, statuses));
  } else if (strcmp(call, "waitall") == 0) {
    MPI_Isend(data, 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests);
    MPI_Isend(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests + 1);
    print_class(call, MPI_Waitall(2, requests, statuses));
    print_class("first", statuses[0].MPI_ERROR);
    print_class("second", statuses[1].MPI_ERROR);
  } else if (strcmp(call, "persistent") == 0) {
    MPI_Send_init(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, requests);
    for (int i = 0; i < 2; ++i) {
      MPI_Start(requests);
      print_class(call, MPI_Wait(requests, statuses));
    }
    MPI_Request_free(requests);
  } else if (strcmp(call, "bcast") == 0) {
    print_class(call, MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
  } else if (strcmp(call, "ibcast") == 0) {
    MPI_Ibcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, requests);
    print_class(call, MPI_Wait(requests, statuses));
  } else if (is_made_together(call)) {
    print_class(call, make_together(call, data));
  } else if (strcmp(call, "put") == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, window);
    MPI_Put(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    print_class(call, MPI_Win_flush(1, window));
  } else if (strcmp(call, "rput") == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, window);
    MPI_Rput(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window, requests);
    print_class(call, MPI_Wait(requests, statuses));
  } else if (strcmp(call, "rput_flush") == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, window);
    MPI_Rput(data, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window, requests);
    print_class("flush", MPI_Win_flush(1, window));
    print_class("wait", MPI_Wait(requests, statuses));
  } else if (strcmp(call, "lock_put") == 0) {
    for (int i = 0; i < 2; ++i) print_class(call, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window));
  } else {
    printf("no such call\n");
  }
}

int main(int count, char** words) {
  int rank = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int fatal = count == 3 && strcmp(words[2], "fatal") == 0;
  const int finish = count == 3 && strcmp(words[2], "finish") == 0;
  char* data = calloc(bytes, 1);
  MPI_Win window = MPI_WIN_NULL;
  if (strstr(words[1], "put") != NULL) MPI_Win_create(data, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (!fatal) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (window != MPI_WIN_NULL) MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && (strcmp(words[1], "exchange") == 0 || strcmp(words[1], "isendrecv") == 0))
    MPI_Send(data, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  if (rank == 0) {
    sleep(1);
    send_by(words[1], data, window);
    fflush(stdout);
    if (!finish) MPI_Abort(MPI_COMM_WORLD, goes_on);
  } else if (is_made_together(words[1])) {
    make_together(words[1], data);
  } else if (!finish) {
    MPI_Recv(data, bytes, MPI_BYTE, 0, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
