// The C library's calls that execute another program: it is given an environment of its own (children.h).
// (system and popen take this process's, which is cleared when the rank begins.)

#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

#include "pvmshim/mpi/children.h"
#include "pvmshim/mpi/symbols.h"

using morgana::mpi::environment_of_child;
using morgana::mpi::room_for_child;

#define MORGANA_EXECUTE extern "C" __attribute__((visibility("default")))
/// The C library's own function of that name.
#define MORGANA_NEXT(name)                                                               \
  ([]() {                                                                                \
    static auto* const real =                                                            \
        reinterpret_cast<decltype(::name)*>(morgana::mpi::libc_dlsym(RTLD_NEXT, #name)); \
    return real;                                                                         \
  }())

MORGANA_EXECUTE int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  void* const room = alloca(room_for_child(environment));
  return MORGANA_NEXT(execve)(path, arguments, environment_of_child(environment, room));
}

MORGANA_EXECUTE int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  void* const room = alloca(room_for_child(environment));
  return MORGANA_NEXT(execvpe)(file, arguments, environment_of_child(environment, room));
}

MORGANA_EXECUTE int fexecve(int file, char* const arguments[], char* const environment[]) noexcept {
  void* const room = alloca(room_for_child(environment));
  return MORGANA_NEXT(fexecve)(file, arguments, environment_of_child(environment, room));
}

MORGANA_EXECUTE int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[],
                                char* const environment[]) {
  void* const room = alloca(room_for_child(environment));
  return MORGANA_NEXT(posix_spawn)(process, path, actions, attributes, arguments,
                                   environment_of_child(environment, room));
}

MORGANA_EXECUTE int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const arguments[],
                                 char* const environment[]) {
  void* const room = alloca(room_for_child(environment));
  return MORGANA_NEXT(posix_spawnp)(process, file, actions, attributes, arguments,
                                    environment_of_child(environment, room));
}

MORGANA_EXECUTE int execv(const char* path, char* const arguments[]) noexcept {
  return execve(path, arguments, environ);
}

MORGANA_EXECUTE int execvp(const char* file, char* const arguments[]) noexcept {
  return execvpe(file, arguments, environ);
}

namespace {

/// How many arguments an execl has, the first and the null at their end counted.
std::size_t count_listed(const char* first, va_list rest) {
  std::size_t arguments = 1;
  for (const char* one = first; one != nullptr; one = va_arg(rest, char*)) ++arguments;
  return arguments;
}

}  // namespace

/// Puts the arguments of an execl into an array on the stack of the function that takes them; `rest` goes on
/// behind the null.
#define MORGANA_EXECL_ARGUMENTS(arguments, first, rest)                                               \
  va_list counted;                                                                                    \
  va_copy(counted, rest);                                                                             \
  char** const arguments = static_cast<char**>(alloca(count_listed(first, counted) * sizeof(char*))); \
  va_end(counted);                                                                                    \
  *arguments = const_cast<char*>(first);                                                              \
  for (char** one = arguments; *one != nullptr;) *++one = va_arg(rest, char*);

MORGANA_EXECUTE int execl(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  MORGANA_EXECL_ARGUMENTS(arguments, first, rest)
  va_end(rest);
  return execve(path, arguments, environ);
}

MORGANA_EXECUTE int execlp(const char* file, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  MORGANA_EXECL_ARGUMENTS(arguments, first, rest)
  va_end(rest);
  return execvpe(file, arguments, environ);
}

MORGANA_EXECUTE int execle(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  MORGANA_EXECL_ARGUMENTS(arguments, first, rest)
  char* const* const environment = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, arguments, environment);
}
