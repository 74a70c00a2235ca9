#include "cli/common/temporary_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana::cli {
namespace {

/// What the keeper says of the folder: its name, or why there is none.
struct Told {
  int error = 0;
  char path[4000] = {};
};

/// In the keeper: makes the folder and removes it when the lifeline breaks. So there is no moment at which a
/// kill of the other process leaves it behind.
[[noreturn]] void keep(int lifeline, int tell, const std::string& pattern) {
  ::setsid();  // the terminal's Ctrl-C is not for it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);  // nobody's pipe stays open for its sake
  Told told;
  pattern.copy(told.path, sizeof told.path - 1);
  if (::mkdtemp(told.path) == nullptr) told.error = errno;
  const bool heard = ::write(tell, &told, sizeof told) == static_cast<ssize_t>(sizeof told);
  ::close(tell);
  if (told.error != 0) ::_exit(1);
  char byte = 0;
  while (heard && ::read(lifeline, &byte, 1) < 0 && errno == EINTR) {
  }
  std::error_code ignored;
  std::filesystem::remove_all(told.path, ignored);
  ::_exit(0);
}

/// @return whether the keeper has said all
bool hear(int from, Told& told) {
  ssize_t size = 0;
  while ((size = ::read(from, &told, sizeof told)) < 0 && errno == EINTR) {
  }
  return size == static_cast<ssize_t>(sizeof told);  // less than a pipe takes at once: never in parts
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::filesystem::path parent) {
  const bool is_given = !parent.empty();
  std::error_code failed;
  if (!is_given) parent = std::filesystem::temp_directory_path(failed);
  if (failed) throw Error("TMPDIR names no folder: set it to one that you may write to");
  const std::string pattern = (parent / (is_given ? ".morgana-XXXXXX" : "morgana-XXXXXX")).string();
  const auto fail = [&](int error) {
    throw Error(fmt::format("cannot make a temporary folder {}: {}; {} a folder that you may write to",
                            pattern, std::strerror(error), is_given ? "start this in" : "set TMPDIR to"));
  };
  int lifeline[2], answer[2];
  if (pattern.size() >= sizeof Told::path) fail(ENAMETOOLONG);
  if (::pipe2(lifeline, O_CLOEXEC) != 0 || ::pipe2(answer, O_CLOEXEC) != 0) fail(errno);
  keeper_ = ::fork();
  if (keeper_ < 0) fail(errno);
  if (keeper_ == 0) {
    ::close(lifeline[1]);
    ::close(answer[0]);
    keep(lifeline[0], answer[1], pattern);
  }
  ::close(lifeline[0]);
  ::close(answer[1]);
  lifeline_ = lifeline[1];
  Told told;
  const bool heard = hear(answer[0], told);
  ::close(answer[0]);
  if (heard && told.error == 0) {
    path_ = told.path;
    helper_.emplace(keeper_, lifeline_, HelperProcess::Patience::long_enough);
    return;
  }
  end_keeper();
  fail(heard ? told.error : EIO);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  end_keeper();
}

void TemporaryFolder::end_keeper() {
  ::close(lifeline_);
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
  helper_.reset();
}

}  // namespace morgana::cli
