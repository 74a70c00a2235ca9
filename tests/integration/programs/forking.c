// A rank starts other processes: they are no ranks, and live in real time.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int exit_code_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char** argv) {
  // The date without a clock: one that has been read before MPI_Init goes on from there.
  struct stat now;
  const time_t today = stat("/proc/self", &now) == 0 ? now.st_mtime : 0;
  MPI_Init(&argc, &argv);
  const int simulated = argc > 1 && strcmp(argv[1], "simulated") == 0;
  int rank, sum = -1, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request request;
  int token = -1;
  MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);

  const time_t before = time(NULL);
  CHECK(!simulated || before < today, "a rank's clock shows %ld", (long)before);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(time(NULL) >= today ? 7 : 8);  // real time again
  int code = exit_code_of(child);
  CHECK(code == 7, "a forked child ended with %d", code);

  child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", (char*)NULL);
    _exit(9);
  }
  code = exit_code_of(child);
  CHECK(code == 5, "an executed helper ended with %d", code);

  code = system("exit 3");
  CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 3, "system() returned %d", code);

  FILE* pipe = popen("echo word", "r");
  char word[16] = "";
  CHECK(pipe != NULL && fgets(word, sizeof word, pipe) != NULL && strcmp(word, "word\n") == 0,
        "popen read %s", word);
  if (pipe != NULL) pclose(pipe);

  child = fork();
  if (child == 0) exit(6);  // with the handlers that are called at exit
  code = exit_code_of(child);
  CHECK(code == 6, "a child that exits ended with %d", code);

  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(token == (rank + size - 1) % size, "received %d", token);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * (size - 1) / 2, "the sum is %d", sum);
  return verdict("forking");
}
