// Prints the level of threads that a session says it has, for one that wants less, one that wants more and
// one that says nothing.
#include <mpi.h>
#include <stdio.h>

static void print_level(const char* wanted) {
  MPI_Info info = MPI_INFO_NULL, used;
  MPI_Session session;
  char level[64] = "";
  int given = 0;
  if (wanted) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", wanted);
  }
  MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_get_info(session, &used);
  MPI_Info_get(used, "thread_level", sizeof level - 1, level, &given);
  printf("%s gets %s\n", wanted ? wanted : "nothing", given ? level : "no answer");
  MPI_Info_free(&used);
  if (wanted) MPI_Info_free(&info);
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  print_level("MPI_THREAD_SINGLE");
  print_level("MPI_THREAD_MULTIPLE");
  print_level(NULL);
  MPI_Finalize();
  return 0;
}
