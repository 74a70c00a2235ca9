// A task that executes another program leaves the machine; the other program may come back to it.

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "pvmshim/clock/libc_call.h"
#include "pvmshim/pvm/emulate/process_end.h"
#include "pvmshim/pvm/emulate/task.h"
#include "pvmshim/pvmd/request.h"

namespace {

using namespace morgana;

bool is_ours(const char* variable) {
  for (const char* name :
       {RankChannel::path_variable, pvm::task_variable, pvm::parent_variable, pvm::left_variable}) {
    const std::size_t length = strlen(name);
    if (strncmp(variable, name, length) == 0 && variable[length] == '=') return true;
  }
  return false;
}

/// The environment for what the process executes.
std::vector<char*> environment_for(pvm::Successor successor, char* const* environment) {
  std::vector<char*> kept;
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (successor != pvm::Successor::none || !is_ours(*environment)) kept.push_back(*environment);
  static const std::string left = std::string(pvm::left_variable).append("=1");
  if (successor == pvm::Successor::next) kept.push_back(const_cast<char*>(left.c_str()));
  kept.push_back(nullptr);
  return kept;
}

template <typename Execute>
int pass_on(char* const* environment, const Execute& execute) {
  const pvm::Successor successor = pvm::pass_rank_on();
  const auto kept = environment_for(successor, environment);
  const int result = execute(kept.data());
  const int error = errno;
  pvm::keep_rank(successor);
  errno = error;
  return result;
}

/// The arguments of an execl.
std::vector<char*> listed(const char* first, va_list& rest) {
  std::vector<char*> arguments{const_cast<char*>(first)};
  while (arguments.back() != nullptr) arguments.push_back(va_arg(rest, char*));
  return arguments;
}

}  // namespace

MORGANA_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  return pass_on(environment, [&](char* const* kept) { return MORGANA_LIBC(execve)(path, arguments, kept); });
}

MORGANA_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  return pass_on(environment,
                 [&](char* const* kept) { return MORGANA_LIBC(execvpe)(file, arguments, kept); });
}

MORGANA_EXPORT int execv(const char* path, char* const arguments[]) noexcept {
  return execve(path, arguments, environ);
}

MORGANA_EXPORT int execvp(const char* file, char* const arguments[]) noexcept {
  return execvpe(file, arguments, environ);
}

MORGANA_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  const auto arguments = listed(first, rest);
  va_end(rest);
  return execve(path, arguments.data(), environ);
}

MORGANA_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  const auto arguments = listed(first, rest);
  va_end(rest);
  return execvpe(file, arguments.data(), environ);
}

MORGANA_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  const auto arguments = listed(first, rest);
  char* const* environment = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, arguments.data(), environment);
}
