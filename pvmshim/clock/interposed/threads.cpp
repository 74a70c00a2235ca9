// The C library's calls that make and join threads: a rank's threads compute beside each other.

#include <pthread.h>
#include <signal.h>

#include <memory>

#include "pvmshim/channel/thread_clocks.h"
#include "pvmshim/clock/interposed/program_thread.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/program_timers.h"

using namespace morgana;

namespace {

struct Start {
  void* (*function)(void*);
  void* argument;
  ThreadClocks::Thread* thread;
  ProgramThread* in_turns;
};

/// Nobody waits for what is left of the calling thread: it must not take signals of the process, which are
/// for threads that the program still has (find_target).
void take_no_more_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

/// Whose destructor is called when a thread ends, however it does (by pthread_exit, or cancelled).
pthread_key_t end_of_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, [](void* start) {
      take_no_more_signals();
      ThreadClocks::own().ends(static_cast<Start*>(start)->thread);
      ProgramThreads::own().ends(static_cast<Start*>(start)->in_turns);
      ProgramTimers::own().pass_on_signals();
      delete static_cast<Start*>(start);
    });
    return made;
  }();
  return key;
}

/// Holds nothing that would have to be unwound: who exits a thread unwinds it with another library's
/// unwinder.
void* run_thread(void* given) {
  const Start& start = *static_cast<Start*>(given);
  ThreadClocks::own().begins(start.thread);
  ProgramThreads::own().begins(start.in_turns);
  pthread_setspecific(end_of_thread(), given);  // which owns it
  return start.function(start.argument);
}

}  // namespace

int morgana::create_program_thread(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*function)(void*), void* argument) noexcept {
  if (LiveRank* rank = LiveRank::active()) rank->thread_comes();
  auto start = std::make_unique<Start>(Start{function, argument, ThreadClocks::own().about_to_create(),
                                             ProgramThreads::own().about_to_create()});
  const int error = MORGANA_LIBC(pthread_create)(thread, attributes, run_thread, start.get());
  if (error == 0) {
    static_cast<void>(start.release());  // the thread's
  } else {
    ThreadClocks::own().not_created(start->thread);
    ProgramThreads::own().not_created(start->in_turns);
  }
  return error;
}

MORGANA_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                  void* (*function)(void*), void* argument) noexcept {
  return called_from_below(__builtin_return_address(0))
             ? MORGANA_LIBC(pthread_create)(thread, attributes, function, argument)
             : create_program_thread(thread, attributes, function, argument);
}

MORGANA_EXPORT int pthread_join(pthread_t thread, void** result) {
  if (called_from_below(__builtin_return_address(0))) return MORGANA_LIBC(pthread_join)(thread, result);
  ProgramThreads::own().joins(thread);
  const int error = MORGANA_LIBC(pthread_join)(thread, result);
  ProgramThreads::own().joined(thread);
  if (error == 0) ThreadClocks::own().joined(thread);
  return error;
}
