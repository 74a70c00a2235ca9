// The C library's calls that make and join threads: a rank's threads compute beside each other.

#include <pthread.h>

#include <memory>

#include "pvmshim/channel/thread_clocks.h"
#include "pvmshim/clock/libc_call.h"

using namespace morgana;

namespace {

struct Start {
  void* (*function)(void*);
  void* argument;
  ThreadClocks::Thread* thread;
};

/// Whose destructor is called when a thread ends, however it does (by pthread_exit, or cancelled).
pthread_key_t end_of_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(
        &made, [](void* thread) { ThreadClocks::own().ends(static_cast<ThreadClocks::Thread*>(thread)); });
    return made;
  }();
  return key;
}

/// Holds nothing that would have to be unwound: who exits a thread unwinds it with another library's
/// unwinder.
void* run_thread(void* given) {
  const Start start = *static_cast<Start*>(given);
  delete static_cast<Start*>(given);
  ThreadClocks::own().begins(start.thread);
  pthread_setspecific(end_of_thread(), start.thread);
  return start.function(start.argument);
}

}  // namespace

MORGANA_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                  void* (*function)(void*), void* argument) noexcept {
  if (called_from_below(__builtin_return_address(0)))
    return MORGANA_LIBC(pthread_create)(thread, attributes, function, argument);
  auto start = std::make_unique<Start>(Start{function, argument, ThreadClocks::own().about_to_create()});
  const int error = MORGANA_LIBC(pthread_create)(thread, attributes, run_thread, start.get());
  if (error == 0)
    static_cast<void>(start.release());  // the thread's
  else
    ThreadClocks::own().not_created(start->thread);
  return error;
}

MORGANA_EXPORT int pthread_join(pthread_t thread, void** result) {
  const int error = MORGANA_LIBC(pthread_join)(thread, result);
  if (error == 0 && !called_from_below(__builtin_return_address(0))) ThreadClocks::own().joined(thread);
  return error;
}
