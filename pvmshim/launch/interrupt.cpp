#include "pvmshim/launch/interrupt.h"

#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace morgana {
namespace {

/// Whoever sends a signal twice in this time has not lost patience: timeout(1) and batch systems signal a
/// process and then its group.
constexpr std::int64_t patience_ns = 2'000'000'000;

std::atomic<int> noted_signal{0};
std::atomic<std::int64_t> noted_at_ns{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "they are set in a signal handler");

void note(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  if (noted_signal.load(std::memory_order_relaxed) == 0) {
    noted_at_ns.store(now_ns, std::memory_order_relaxed);
    noted_signal.store(signal, std::memory_order_relaxed);
  } else if (now_ns - noted_at_ns.load(std::memory_order_relaxed) > patience_ns) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    raise(signal);  // delivered when this handler returns
  }
}

}  // namespace

Interrupted::Interrupted(int signal)
    : std::runtime_error(std::string("interrupted by signal ") + std::to_string(signal) + " (" +
                         strsignal(signal) + ")"),
      signal_(signal) {}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = note;
  // No SA_RESTART: what sleeps must wake.
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
