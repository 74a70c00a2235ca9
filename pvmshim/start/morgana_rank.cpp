// morgana-rank: mpiexec starts it as each rank, and it becomes the rank's program. Before that it gives the
// rank an output that does not pass through mpiexec and its proxies (which throw away what they still hold
// when a run ends badly), and says which process is which rank, so that none can end unseen: its
// program begins when the launcher has seen all ranks.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "pvmshim/start/rank_start.h"

namespace {

using namespace morgana;

constexpr int cannot_start = 127;    // a shell's
constexpr int lists_of_program = 4;  // in the start file

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "morgana: can't start a rank: %s: %s\n", what, std::strerror(errno));
  std::exit(cannot_start);
}

int open_pipe(const char* path, int direction) {
  const int descriptor = open(path, direction | O_CLOEXEC);
  // The launcher has gone, or is about to go: it says why.
  if (descriptor < 0 && errno == ENOENT && std::strncmp(path, "/proc/", 6) == 0) std::exit(cannot_start);
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

/// Hydra 4.2 sends SIGUSR1 to the processes that it has started when one of them has left MPI, as if that one
/// had died. MPICH has a handler for it; a shell or an interpreter that started the MPI program would end by
/// it.
void outlive_others_ends() {
  struct sigaction before {};
  if (sigaction(SIGUSR1, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
    std::signal(SIGUSR1, SIG_IGN);
}

void await(int leave) {
  char given;
  ssize_t size;
  while ((size = read(leave, &given, 1)) < 0 && errno == EINTR) {
  }
  if (size != 1) std::exit(cannot_start);  // the launcher has gone
}

void give(int descriptor, int standard) {
  if (dup2(descriptor, standard) < 0) fail("can't set the rank's input and output");
}

/// @param inherited  -1: there is none, and the rank that gets an input has it already
void give_input(bool is_this_ranks, int inherited) {
  if (!is_this_ranks)
    give(open_pipe("/dev/null", O_RDONLY), STDIN_FILENO);
  else if (inherited >= 0)
    give(inherited, STDIN_FILENO);
  if (inherited >= 0) close(inherited);
}

/// The words of the start file, in order.
class Words {
 public:
  explicit Words(const char* path) {
    const int file = open_pipe(path, O_RDONLY);
    char part[65536];
    ssize_t size;
    while ((size = read(file, part, sizeof part)) != 0) {
      if (size < 0 && errno != EINTR) fail(path);
      if (size > 0) text_.append(part, static_cast<std::size_t>(size));
    }
    close(file);
  }

  char* next() {
    if (at_ >= text_.size()) {
      errno = EINVAL;
      fail("the launcher's file of programs is cut off");
    }
    char* const word = text_.data() + at_;
    at_ += std::strlen(word) + 1;
    return word;
  }
  /// A number, and so many words.
  std::vector<char*> list() {
    std::vector<char*> words(static_cast<std::size_t>(std::atol(next())));
    for (char*& word : words) word = next();
    return words;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

void set(const std::string& name, const std::string& value) {
  if (setenv(name.c_str(), value.c_str(), 1) != 0) fail("can't set a variable");
}

/// Sets what is the rank's alone, and remembers what its children are to find instead.
void set_for_rank_alone(const std::vector<char*>& variables) {
  std::string names;
  for (const char* variable : variables) {
    const std::string text(variable), name = text.substr(0, text.find('='));
    if (const char* before = std::getenv(name.c_str())) set(before_prefix + name, before);
    set(name, text.substr(std::min(name.size() + 1, text.size())));
    names += (names.empty() ? "" : ":") + name;
  }
  if (!names.empty()) set(added_variable, names);
}

/// Sets what has a value for each rank.
void set_by_rank(const std::vector<char*>& variables, int rank) {
  for (const char* variable : variables) {
    const std::string text(variable);
    const std::size_t equals = text.find('=');
    std::size_t begin = equals + 1;
    for (int before = 0; before < rank && begin != 0; ++before) begin = text.find(value_separator, begin) + 1;
    if (equals == std::string::npos || begin == 0) fail("a rank has no value of its own");
    set(text.substr(0, equals), text.substr(begin, text.find(value_separator, begin) - begin));
  }
}

/// mpiexec numbers the ranks of this machine; MPICH's world has all. @return the rank's number among them
int become_one_of_all(int rank, const char* all, const std::vector<char*>& here) {
  if (std::atol(all) == 0) return rank;
  if (rank < 0 || static_cast<std::size_t>(rank) >= here.size()) fail("a rank has no number of its own");
  set("PMI_SIZE", all);
  set("PMI_RANK", here[static_cast<std::size_t>(rank)]);
  return std::atoi(here[static_cast<std::size_t>(rank)]);
}

void remember_line_to_mpiexec() {
  const char* descriptor = std::getenv("PMI_FD");
  struct stat line {};
  if (descriptor == nullptr || fstat(std::atoi(descriptor), &line) != 0) return;
  set(line_variable, std::to_string(line.st_dev) + "." + std::to_string(line.st_ino));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != start_arguments) {
    std::fprintf(stderr, "morgana-rank is started by 'morgana run', not by hand\n");
    return cannot_start;
  }
  outlive_others_ends();
  const int output = open_pipe(argv[output_pipe], O_WRONLY);
  const int errors = open_pipe(argv[error_pipe], O_WRONLY);
  const int start = open_pipe(argv[start_pipe], O_WRONLY);
  const int leave = open_pipe(argv[leave_pipe], O_RDONLY);
  Words words(argv[start_file]);
  keep_proxys_pipe();
  give(output, STDOUT_FILENO);
  give(errors, STDERR_FILENO);
  const char* text = std::getenv("PMI_RANK");
  char* const all = words.next();
  const int rank = become_one_of_all(text == nullptr ? 0 : std::atoi(text), all, words.list());
  give_input(rank == std::atoi(argv[input_rank]), std::atoi(argv[input_descriptor]));
  const RankStart told{rank, getpid()};
  if (write(start, &told, sizeof told) != static_cast<ssize_t>(sizeof told)) fail("the launcher has gone");
  await(leave);
  for (int before = std::atoi(argv[program_number]); before > 0; --before)
    for (int list = 0; list < lists_of_program; ++list) words.list();
  for (char* variable : words.list()) putenv(variable);
  set_for_rank_alone(words.list());
  set_by_rank(words.list(), rank);
  remember_line_to_mpiexec();
  std::vector<char*> program = words.list();
  program.push_back(nullptr);
  execvp(program[0], program.data());
  fail(program[0]);
}
