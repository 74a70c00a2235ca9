// Calls that make a task a part of the virtual machine itself (one that places tasks, starts hosts or
// collects traces), which the emulated one does not have, and others that have nothing to do here.

#include <sys/eventfd.h>

#include "pvmshim/pvm/emulate/errors.h"
#include "pvmshim/pvm/emulate/task.h"

using namespace morgana::pvm;

int pvm_reg_hoster(void) {
  return lpvmerr("pvm_reg_hoster", PvmNotImpl);
}

int pvm_reg_rm(pvmhostinfo**) {
  return lpvmerr("pvm_reg_rm", PvmNotImpl);
}

int pvm_reg_tasker(void) {
  return lpvmerr("pvm_reg_tasker", PvmNotImpl);
}

int pvm_reg_tracer(int, int, int, int, char*, int, int) {
  return lpvmerr("pvm_reg_tracer", PvmNotImpl);
}

/// Asks a daemon to print of its insides.
int pvm_tickle(int count, int*, int* results, int*) {
  return reported("pvm_tickle", [&] {
    if (const int error = enrol(); error != PvmOk) return error;
    constexpr int most = 10;
    if (count < 1 || count > most) return PvmBadParam;
    if (results != nullptr) *results = 0;
    return PvmOk;
  });
}

/// Descriptors to select on between calls of pvm_nrecv: simulated messages show nowhere, so that this one can
/// always be read; the program polls.
int pvm_getfds(int** descriptors) {
  static int descriptor = -1;
  return reported("pvm_getfds", [&] {
    if (const int error = enrol(); error != PvmOk) return error;
    if (descriptor == -1) descriptor = eventfd(1, EFD_CLOEXEC);
    *descriptors = &descriptor;
    return 1;
  });
}

char* pvm_version(void) {
  return const_cast<char*>(PVM_VER);
}
