// What happens to a rank that writes to another machine itself. On two machines of two ranks each:
// half_a_frame MODE [MESSAGES]. The shim's first write of rank 0 after 200 messages sends 20 bytes; then, by
// MODE:
//   stop   the process stops itself
//   fail   the write fails, as if the program had closed the descriptor
//   kill   the process is killed
//   exit   the process exits
// or (nothing is cut off): nonblock  the program makes all its sockets of the internet's protocols
// nonblocking.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int armed;
static const char* mode = "stop";

// In the place of the C library's, by which the shim writes.
long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "syscall");
  va_list all;
  va_start(all, number);
  long given[6];
  for (int i = 0; i < 6; ++i) given[i] = va_arg(all, long);
  va_end(all);
  if (number != SYS_sendmsg || !armed)
    return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  armed = 0;
  struct msghdr message = *(const struct msghdr*)given[1];
  struct iovec first = message.msg_iov[0];
  if (first.iov_len > 20) first.iov_len = 20;
  message.msg_iov = &first;
  message.msg_iovlen = 1;
  const long sent = real(number, given[0], &message, given[2]);
  if (strcmp(mode, "stop") == 0) raise(SIGSTOP);
  if (strcmp(mode, "kill") == 0) raise(SIGKILL);
  if (strcmp(mode, "exit") == 0) exit(3);
  if (strcmp(mode, "fail") == 0) {
    errno = EBADF;
    return -1;
  }
  return sent;
}

static void make_all_nonblocking(void) {
  for (int one = 3; one < 1024; ++one) {
    int domain = 0;
    socklen_t size = sizeof domain;
    if (getsockopt(one, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX)
      fcntl(one, F_SETFL, fcntl(one, F_GETFL) | O_NONBLOCK);
  }
}

int main(int argc, char** argv) {
  if (argc > 1) mode = argv[1];
  const long messages = argc > 2 ? atol(argv[2]) : 1000000000;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static char bytes[1000];
  for (long i = 0; i < messages; ++i) {
    if (rank == 0 && i == 200) {
      if (strcmp(mode, "nonblock") == 0)
        make_all_nonblocking();
      else
        armed = 1;
    }
    if (rank == 0) MPI_Send(bytes, sizeof bytes, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(bytes, sizeof bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // So that this machine's agent has something to write, too: what its ranks have released.
    if (rank == 3) MPI_Send(bytes, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(bytes, 1, MPI_CHAR, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("PASS\n");
  MPI_Finalize();
  return 0;
}
