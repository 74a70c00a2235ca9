#include "pvmshim/launch/interrupt.h"

#include <signal.h>

#include <atomic>
#include <cstring>

namespace morgana {
namespace {

std::atomic<int> noted_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "it is set in a signal handler");

void note(int signal) {
  noted_signal.store(signal, std::memory_order_relaxed);
}

}  // namespace

Interrupted::Interrupted(int signal)
    : std::runtime_error(std::string("interrupted by signal ") + std::to_string(signal) + " (" +
                         strsignal(signal) + ")"),
      signal_(signal) {}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // and no SA_RESTART: what sleeps must wake
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

int interrupted() {
  return noted_signal.load(std::memory_order_relaxed);
}

void throw_if_interrupted() {
  if (const int signal = interrupted()) throw Interrupted(signal);
}

}  // namespace morgana
