/* launched [ARGUMENT...]: each rank says what it was given: which of the run's programs it is, its arguments, the
 * variables that SHOW names (separated by commas), and with INPUT set a line of standard input. Rank 0 prints it in
 * the order of ranks. With CHILD set, rank 0 first starts that command by all ways that the C library has, one
 * after the other, and waits for it; the other ranks wait for rank 0 meanwhile. */
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

enum { longest = 2000 };

static void add(char* line, const char* text) {
  strncat(line, text, longest - strlen(line) - 1);
}

static int status_of(pid_t child) {
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/* As Python has it: the environment as it was when the program began. */
static char** first_environment(void) {
  int count = 0;
  while (environ[count] != NULL) ++count;
  char** copy = calloc((size_t)count + 1, sizeof *copy);
  for (int i = 0; i < count; ++i) copy[i] = strdup(environ[i]);
  return copy;
}

static void start_children(const char* command, char** at_first) {
  char* words[] = {"sh", "-c", (char*)command, NULL};
  pid_t child = 0;
  int statuses[5] = {0};
  statuses[0] = system(command);
  FILE* pipe = popen(command, "r");
  for (int c; pipe != NULL && (c = fgetc(pipe)) != EOF;) putchar(c);
  statuses[1] = pipe == NULL ? -1 : pclose(pipe);
  fflush(stdout);
  if ((child = fork()) == 0) {
    execl("/bin/sh", "sh", "-c", command, (char*)NULL);
    _exit(127);
  }
  statuses[2] = status_of(child);
  if ((child = fork()) == 0) {
    execve("/bin/sh", words, at_first);
    _exit(127);
  }
  statuses[3] = status_of(child);
  statuses[4] = posix_spawnp(&child, "sh", NULL, NULL, words, at_first) == 0 ? status_of(child) : -1;
  for (int i = 0; i < 5; ++i)
    if (statuses[i] != 0) printf("FAIL: child %d ended with status %d\n", i, statuses[i]);
}

int main(int argc, char** argv) {
  char** const at_first = first_environment();
  char line[longest] = "", text[longest];
  int rank, ranks, found, *program;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
  snprintf(line, sizeof line, "rank %d of %d, program %d:", rank, ranks, found ? *program : -1);
  for (int i = 1; i < argc; ++i) {
    snprintf(text, sizeof text, " [%s]", argv[i]);
    add(line, text);
  }
  char* names = getenv("SHOW") == NULL ? NULL : strdup(getenv("SHOW"));
  for (char* name = names == NULL ? NULL : strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
    const char* value = getenv(name);
    snprintf(text, sizeof text, " %s=%s", name, value == NULL ? "(none)" : value);
    add(line, text);
  }
  if (getenv("INPUT") != NULL) {
    text[0] = '\0';
    if (fgets(text, sizeof text, stdin) == NULL) strcpy(text, "nothing");
    text[strcspn(text, "\n")] = '\0';
    add(line, " read ");
    add(line, text);
  }
  if (rank == 0 && getenv("CHILD") != NULL) start_children(getenv("CHILD"), at_first);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) {
    MPI_Send(line, longest, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  } else {
    printf("%s\n", line);
    for (int other = 1; other < ranks; ++other) {
      MPI_Recv(line, longest, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      printf("%s\n", line);
    }
  }
  MPI_Finalize();
  return 0;
}
