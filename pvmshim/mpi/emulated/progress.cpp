// Debian's MPICH waits by spinning in UCX's progress function and never yields, so that more ranks than
// processors would crawl through what MPICH still does in an emulated run (starting, making communicators).
// Here idle progress sleeps.

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pvmshim/mpi/emulated/together.h"
#include "pvmshim/mpi/mode.h"

namespace {

using Progress = unsigned (*)(void*);

Progress real_progress() {
  static const auto found = [] {
    void* library = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<Progress>(library == nullptr ? dlsym(RTLD_NEXT, "ucp_worker_progress")
                                                         : dlsym(library, "ucp_worker_progress"));
  }();
  return found;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  constexpr int idle_before_sleep = 32;
  constexpr timespec nap{0, 60'000};
  static thread_local int idle = 0;
  morgana::mpi::emulated::mpich_waits();
  const unsigned progressed = real_progress()(worker);
  if (progressed != 0 || morgana::mpi::mode() != morgana::mpi::Mode::emulate) {
    idle = 0;
  } else if (++idle > idle_before_sleep) {
    syscall(SYS_nanosleep, &nap, nullptr);
  }
  return progressed;
}
