// Error codes, their texts, and what is printed of them.

#include "pvmshim/pvm/emulate/errors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <iterator>
#include <string>

int pvm_errno = PvmOk;

const char* pvm_errlist[] = {
    "Error 0",
    "Error 1",
    "Bad parameter",
    "Parameter mismatch",
    "Value too large",
    "End of buffer",
    "No such host",
    "No such file",
    "Permission denied",
    "Error 9",
    "Malloc failed",
    "Error 11",
    "Can't decode message",
    "Error 13",
    "Can't contact local daemon",
    "No current buffer",
    "No such buffer",
    "Null group name",
    "Already in group",
    "No such group",
    "Not in group",
    "No such instance",
    "Host failed",
    "No parent task",
    "Not implemented",
    "Pvmd system error",
    "Version mismatch",
    "Out of resources",
    "Duplicate host",
    "Can't start pvmd",
    "Already in progress",
    "No such task",
    "Not Found",
    "Already Exists",
    "Hoster must run on master host",
    "Spawning parent set PvmNoParent",
    "Master Host IP Address is Loopback! (See pvm3/Readme)",
};
int pvm_nerr = static_cast<int>(std::size(pvm_errlist));

namespace morgana::pvm {
namespace {

enum { print = 1, print_and_exit = 2, print_and_abort = 3 };  // values of PvmAutoErr

const char* text_of(int code) {
  return code <= 0 && -code < pvm_nerr ? pvm_errlist[-code] : "Unknown Error";
}

std::string self() {
  char text[40];
  if (pvmmytid == -1)
    snprintf(text, sizeof text, "libpvm [pid%d]", getpid());
  else
    snprintf(text, sizeof text, "libpvm [t%x]", static_cast<unsigned>(pvmmytid));
  return text;
}

}  // namespace

void fail(const std::exception& error) {
  std::string text = "morgana: ";
  if (pvmmytid != -1) {
    char task[24];
    snprintf(task, sizeof task, "task t%x: ", static_cast<unsigned>(pvmmytid));
    text += task;
  }
  text.append(error.what()).append("\n");
  fflush(stdout);
  fputs(text.c_str(), stderr);
  constexpr int exit_code = 2;
  _exit(exit_code);
}

}  // namespace morgana::pvm

using namespace morgana::pvm;

int lpvmerr(const char* function, int code) {
  pvm_errno = code;
  if (pvmautoerr == 0) return code;
  const std::string where = std::string(function) + "()";
  pvm_perror(const_cast<char*>(where.c_str()));
  fflush(stderr);
  if (pvmautoerr == print_and_abort) abort();
  if (pvmautoerr == print_and_exit) {
    pvmautoerr = print;
    pvm_exit();
    exit(code);
  }
  return code;
}

int pvm_perror(char* text) {
  fprintf(stderr, "%s: %s: %s\n", self().c_str(), text == nullptr ? "(null)" : text, text_of(pvm_errno));
  return PvmOk;
}

char* pvm_strerror(void) {
  return const_cast<char*>(text_of(pvm_errno));
}

int pvmlogerror(const char* text) {
  fprintf(stderr, "%s: %s", self().c_str(), text);
  return PvmOk;
}

int vpvmlogprintf(const char* format, va_list values) {
  static bool at_line_start = true;
  if (at_line_start) fprintf(stderr, "%s ", self().c_str());
  const int printed = vfprintf(stderr, format, values);
  const size_t length = strlen(format);
  at_line_start = length > 0 && format[length - 1] == '\n';
  fflush(stderr);
  return printed;
}

int pvmlogprintf(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int printed = vpvmlogprintf(format, values);
  va_end(values);
  return printed;
}

int pvmlogperror(const char* text) {
  pvmlogprintf("%s: %s\n", text, strerror(errno));
  return PvmOk;
}

void pvmbailout(int) {}
