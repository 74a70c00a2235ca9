#include "pvmshim/clock/without_handlers.h"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "pvmshim/clock/program_threads.h"

namespace morgana {
namespace {

using Handlers = ProgramThread::Handlers;

std::atomic<bool> are_expected{false};

}  // namespace

void expect_handlers() {
  are_expected = true;
}

WithoutHandlers::WithoutHandlers() : has_blocked_(are_expected.load(std::memory_order_relaxed)) {
  if (!has_blocked_) return;
  ProgramThread* const self = ProgramThreads::known_self();
  // One that a handler has left by a jump stands for none.
  is_outermost_ = self != nullptr && self->handlers != Handlers::kept_away;
  if (is_outermost_) {
    ++self->mask_changes;
    self->handlers = Handlers::changing;
  }
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
  if (!is_outermost_) return;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &before_, sizeof bits);
  self->blocked_by_program = bits;
  self->handlers = Handlers::kept_away;
}

// A handler may run, and jump away, as soon as it can: after that nothing may have to be done.
WithoutHandlers::~WithoutHandlers() {
  if (!has_blocked_) return;
  ProgramThread* const self = ProgramThreads::known_self();
  if (is_outermost_ && self != nullptr) {
    ++self->mask_changes;
    self->handlers = Handlers::changing;
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  if (is_outermost_ && self != nullptr) self->handlers = Handlers::may_run;
}

}  // namespace morgana
