/* Preloaded into the ranks of native runs. Debian's MPICH waits by spinning in UCX's progress function and
   never yields: with more ranks than idle processors every collective then takes a scheduler's turns, some
   50 ms, and a test's native run minutes of processor time (measured: 190 s instead of 2.4 s for 6,000
   communicators of three ranks). Here progress that finds nothing to do sleeps; what MPICH computes, sends
   and returns is its own.

   MPICH from 4.1 on holds its lock while it asks for progress and takes it again at once: who slept there would keep
   the program's other threads out for ever. So a thread that holds a lock sleeps when it has given up its last one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

typedef unsigned (*progress_function)(void*);
typedef int (*mutex_function)(pthread_mutex_t*);

static __thread int locks_held = 0, nap_is_due = 0;

static progress_function real_progress(void) {
  static progress_function found = NULL;
  if (found == NULL) {
    /* A program that has loaded MPICH by dlopen keeps UCX out of reach of RTLD_NEXT. */
    void* library = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD);
    found = (progress_function)dlsym(library == NULL ? RTLD_NEXT : library, "ucp_worker_progress");
  }
  return found;
}

static void take_nap(void) {
  static const struct timespec nap = {0, 60000};
  nap_is_due = 0;
  nanosleep(&nap, NULL);
}

unsigned ucp_worker_progress(void* worker) {
  enum { idle_before_sleep = 32 };
  static __thread int idle = 0;
  const unsigned progressed = real_progress()(worker);
  if (progressed != 0)
    idle = 0;
  else if (++idle > idle_before_sleep) {
    if (locks_held > 0)
      nap_is_due = 1;
    else
      take_nap();
  }
  return progressed;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static mutex_function real = NULL;
  if (real == NULL) real = (mutex_function)dlsym(RTLD_NEXT, "pthread_mutex_lock");
  const int error = real(mutex);
  if (error == 0) ++locks_held;
  return error;
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static mutex_function real = NULL;
  if (real == NULL) real = (mutex_function)dlsym(RTLD_NEXT, "pthread_mutex_trylock");
  const int error = real(mutex);
  if (error == 0) ++locks_held;
  return error;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static mutex_function real = NULL;
  if (real == NULL) real = (mutex_function)dlsym(RTLD_NEXT, "pthread_mutex_unlock");
  const int error = real(mutex);
  if (error == 0 && locks_held > 0 && --locks_held == 0 && nap_is_due) take_nap();
  return error;
}
