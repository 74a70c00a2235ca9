#include "pvmshim/clock/without_handlers.h"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "pvmshim/clock/program_threads.h"

namespace morgana {
namespace {

std::atomic<bool> are_expected{false};

}  // namespace

void expect_handlers() {
  are_expected = true;
}

WithoutHandlers::WithoutHandlers() : has_blocked_(are_expected.load(std::memory_order_relaxed)) {
  if (!has_blocked_) return;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
  ProgramThread* const self = ProgramThreads::known_self();
  is_outermost_ = self != nullptr && !self->is_without_handlers;
  if (!is_outermost_) return;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &before_, sizeof bits);
  self->blocked_by_program = bits;
  self->is_without_handlers = true;
}

WithoutHandlers::~WithoutHandlers() {
  if (!has_blocked_) return;
  // First, as a handler may jump away as soon as it can.
  ProgramThread* const self = ProgramThreads::known_self();
  if (is_outermost_ && self != nullptr) self->is_without_handlers = false;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace morgana
