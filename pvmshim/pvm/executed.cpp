// A task that executes another program ends: the new one is no task.

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "pvmshim/clock/interposed/libc_call.h"
#include "pvmshim/pvm/process_end.h"
#include "pvmshim/pvmd/request.h"

namespace {

using namespace morgana;

bool is_ours(const char* variable) {
  for (const char* name : {RankChannel::path_variable, pvm::task_variable, pvm::parent_variable}) {
    const std::size_t length = strlen(name);
    if (strncmp(variable, name, length) == 0 && variable[length] == '=') return true;
  }
  return false;
}

/// The environment for what follows a task in its process. Others keep theirs: a shell may still start one.
std::vector<char*> environment_after_rank(char* const* environment) {
  std::vector<char*> kept;
  const bool was_rank = LiveRank::active() != nullptr;
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (!was_rank || !is_ours(*environment)) kept.push_back(*environment);
  kept.push_back(nullptr);
  return kept;
}

/// The arguments of an execl.
std::vector<char*> listed(const char* first, va_list& rest) {
  std::vector<char*> arguments{const_cast<char*>(first)};
  while (arguments.back() != nullptr) arguments.push_back(va_arg(rest, char*));
  return arguments;
}

}  // namespace

MORGANA_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  const auto kept = environment_after_rank(environment);
  pvm::end_rank();
  return MORGANA_LIBC(execve)(path, arguments, kept.data());
}

MORGANA_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  const auto kept = environment_after_rank(environment);
  pvm::end_rank();
  return MORGANA_LIBC(execvpe)(file, arguments, kept.data());
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
