// The last rank makes an MPI error, as the argument says, while the others wait for it. MPI's default handler
// ends the program; but: "exception": it prints one and finalises MPI; "exiting": the program's own handler
// exits with code 33; "stuck": it waits for ever on a communicator that has a name; "endless": it
// computes for ever; "returned": the error is
// returned, and later the rank kills itself; "caught": errors are returned, and the program goes on. With
// "multiple" behind that several of its threads might call; with "threads" one of them waits for a message meanwhile.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static void leave(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  exit(33);
}

static void* wait_for_message(void* unused) {
  int one;
  MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return unused;
}

static void make_error(const char* kind, int me) {
  int one = 0, two[2] = {0, 0};
  if (strcmp(kind, "rank") == 0) MPI_Send(&one, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  if (strcmp(kind, "tag") == 0) MPI_Send(&one, 1, MPI_INT, 0, -7, MPI_COMM_WORLD);
  if (strcmp(kind, "root") == 0) MPI_Bcast(&one, 1, MPI_INT, 17, MPI_COMM_WORLD);
  if (strcmp(kind, "operator") == 0) MPI_Reduce(two, &one, 1, MPI_DOUBLE, MPI_BAND, 0, MPI_COMM_WORLD);
  if (strcmp(kind, "group") == 0) {
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_NULL, &group);
  }
  if (strcmp(kind, "truncation") == 0) {
    MPI_Request request;
    MPI_Isend(two, 2, MPI_INT, me, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&one, 1, MPI_INT, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(kind, "named") == 0) {
    MPI_Comm halo;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_SELF, &halo);
    MPI_Comm_set_name(halo, "halo");
    MPI_Isend(two, 2, MPI_INT, 0, 3, halo, &request);
    MPI_Recv(&one, 1, MPI_INT, 0, 3, halo, MPI_STATUS_IGNORE);
  }
  if (strcmp(kind, "stuck") == 0) {
    MPI_Comm halo;
    MPI_Comm_dup(MPI_COMM_SELF, &halo);
    MPI_Comm_set_name(halo, "halo\n");
    MPI_Recv(&one, 1, MPI_INT, 0, 3, halo, MPI_STATUS_IGNORE);
  }
  if (strcmp(kind, "endless") == 0) {
    printf("computes\n");
    fflush(stdout);
    for (volatile int i = 0;; i = !i) continue;
  }
  if (strcmp(kind, "waitall") == 0) {
    MPI_Request requests[2];
    MPI_Irecv(&one, 1, MPI_INT, me, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(two, 2, MPI_INT, me, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  if (strcmp(kind, "window") == 0) {
    MPI_Win window;
    MPI_Win_create(two, sizeof two, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    MPI_Put(&one, 1, MPI_INT, 5, 0, 1, MPI_INT, window);
  }
  if (strcmp(kind, "flush") == 0) {  // outside of an epoch
    MPI_Win window;
    MPI_Win_create(two, sizeof two, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    MPI_Win_flush(0, window);
  }
  if (strcmp(kind, "shared") == 0) {  // an error where the ranks are on several hosts
    MPI_Win window;
    int* part;
    MPI_Win_allocate_shared(sizeof one, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  }
  if (strcmp(kind, "keyval") == 0) {
    MPI_Win window;
    int key;
    MPI_Win_create(two, sizeof two, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Win_set_attr(window, key, &one);
  }
  if (strcmp(kind, "place") == 0) {
    MPI_Comm halo;
    MPI_Comm_dup(MPI_COMM_SELF, &halo);
    MPI_Isend(two, 2, MPI_INT, 0, 3, halo, NULL);
  }
  if (strcmp(kind, "handler of its own") == 0) {  // which ends the program, though the world's does not
    MPI_Comm halo;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_SELF, &halo);
    MPI_Comm_set_errhandler(halo, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Isend(two, 2, MPI_INT, 0, 3, halo, &request);
    MPI_Recv(&one, 1, MPI_INT, 0, 3, halo, MPI_STATUS_IGNORE);
  }
  if (strcmp(kind, "exception") == 0) {
    fprintf(stderr, "ValueError: no such cell\n");
    MPI_Finalize();
    exit(1);
  }
  if (strcmp(kind, "exiting") == 0) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&one, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  }
  if (strcmp(kind, "caught") == 0) {
    MPI_Group group;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(&one, 1, MPI_INT, 99, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "rank 99 is none");
    CHECK(MPI_Comm_group(MPI_COMM_NULL, &group) != MPI_SUCCESS, "there is no communicator");
    CHECK(MPI_Bcast(&one, 1, MPI_INT, 17, MPI_COMM_SELF) != MPI_SUCCESS, "root 17 is none");
  }
  if (strcmp(kind, "returned") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(&one, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    kill(getpid(), SIGKILL);
  }
}

int main(int argc, char** argv) {
  int rank, ranks, level;
  const int threads = argc > 2 && strcmp(argv[2], "threads") == 0;
  const int multiple = threads || (argc > 2 && strcmp(argv[2], "multiple") == 0);
  pthread_t waiting;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (threads && rank == ranks - 1) {
    printf("not written out yet ");  // to a pipe or a file
    pthread_create(&waiting, NULL, wait_for_message, NULL);
  }
  if (rank == ranks - 1) make_error(argc > 1 ? argv[1] : "rank", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  return verdict("fatal_errors");
}
