// morgana-rank: mpiexec starts it as each rank, and it becomes the rank's program. Before that it gives the
// rank an output that does not pass through mpiexec and its proxies (which throw away what they still hold
// when a run ends badly), and says which process is which rank, so that none can end unseen: its
// program begins when the launcher has seen all ranks.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pvmshim/start/rank_start.h"

namespace {

using namespace morgana;

constexpr int cannot_start = 127;  // a shell's

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "morgana: can't start a rank: %s: %s\n", what, std::strerror(errno));
  std::exit(cannot_start);
}

int open_pipe(const char* path, int direction) {
  const int descriptor = open(path, direction | O_CLOEXEC);
  if (descriptor < 0) fail(path);
  return descriptor;
}

/// The proxy serves its ranks' MPI library only as long as any of their outputs that it has made is open:
/// this keeps one, out of the program's way.
void keep_proxys_pipe() {
  constexpr rlim_t far_from_the_programs_own = 200;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
  const rlim_t number = std::min(far_from_the_programs_own, limit.rlim_cur / 2);
  if (fcntl(STDERR_FILENO, F_DUPFD, static_cast<int>(number)) < 0) fail("can't keep a pipe open");
}

void await(int leave) {
  char given;
  ssize_t size;
  while ((size = read(leave, &given, 1)) < 0 && errno == EINTR) {
  }
  if (size != 1) std::exit(cannot_start);  // the launcher has gone
}

void give(int descriptor, int standard) {
  if (dup2(descriptor, standard) < 0) fail("can't set the rank's output");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc <= StartArgument::program) {
    std::fprintf(stderr, "morgana-rank is started by 'morgana run', not by hand\n");
    return cannot_start;
  }
  const int output = open_pipe(argv[output_pipe], O_WRONLY);
  const int errors = open_pipe(argv[error_pipe], O_WRONLY);
  const int start = open_pipe(argv[start_pipe], O_WRONLY);
  const int leave = open_pipe(argv[leave_pipe], O_RDONLY);
  keep_proxys_pipe();
  give(output, STDOUT_FILENO);
  give(errors, STDERR_FILENO);
  const char* rank = std::getenv("PMI_RANK");
  const RankStart told{rank == nullptr ? 0 : std::atoi(rank), getpid()};
  if (write(start, &told, sizeof told) != static_cast<ssize_t>(sizeof told)) fail("the launcher has gone");
  await(leave);
  if (std::strcmp(argv[preloaded], no_preload) != 0 && setenv("LD_PRELOAD", argv[preloaded], 1) != 0)
    fail("LD_PRELOAD");
  execvp(argv[StartArgument::program], argv + StartArgument::program);
  fail(argv[StartArgument::program]);
}
