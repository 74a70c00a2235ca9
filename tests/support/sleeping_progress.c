/* Preloaded into the ranks of native runs. Debian's MPICH waits by spinning in UCX's progress function and
   never yields: with more ranks than idle processors every collective then takes a scheduler's turns, some
   50 ms, and a test's native run minutes of processor time (measured: 190 s instead of 2.4 s for 6,000
   communicators of three ranks). Here progress that finds nothing to do sleeps; what MPICH computes, sends
   and returns is its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

typedef unsigned (*progress_function)(void*);

static progress_function real_progress(void) {
  static progress_function found = NULL;
  if (found == NULL) {
    /* A program that has loaded MPICH by dlopen keeps UCX out of reach of RTLD_NEXT. */
    void* library = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD);
    found = (progress_function)dlsym(library == NULL ? RTLD_NEXT : library, "ucp_worker_progress");
  }
  return found;
}

unsigned ucp_worker_progress(void* worker) {
  enum { idle_before_sleep = 32 };
  static const struct timespec nap = {0, 60000};
  static __thread int idle = 0;
  const unsigned progressed = real_progress()(worker);
  if (progressed != 0)
    idle = 0;
  else if (++idle > idle_before_sleep)
    nanosleep(&nap, NULL);
  return progressed;
}
