#include "cli/temporary_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "emulator/core/error.h"

namespace morgana::cli {
namespace {

/// In the keeper: until the lifeline breaks.
[[noreturn]] void keep(int lifeline, const std::filesystem::path& folder) {
  ::setsid();  // the terminal's Ctrl-C is not for it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);  // nobody's pipe stays open for its sake
  char byte = 0;
  while (::read(lifeline, &byte, 1) < 0 && errno == EINTR) {
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  ::_exit(0);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "morgana-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(
        fmt::format("cannot make a temporary folder {}: {}; set TMPDIR to a folder that you may write to",
                    pattern, std::strerror(errno)));
  }
  path_ = pattern;
  start_keeper();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lifeline_ >= 0) ::close(lifeline_);
  while (keeper_ > 0 && ::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void TemporaryFolder::start_keeper() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // then only a kill leaves the folder behind
  keeper_ = ::fork();
  if (keeper_ == 0) {
    ::close(ends[1]);
    keep(ends[0], path_);
  }
  ::close(ends[0]);
  lifeline_ = ends[1];
}

}  // namespace morgana::cli
