#include "pvmshim/clock/signal_target.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pvmshim/clock/program_threads.h"

namespace morgana {
namespace {

/// Signals as the kernel's text shows them: bit n - 1 is signal n.
struct SignalsOfThread {
  std::uint64_t pending = 0, pending_of_process = 0, blocked = ~std::uint64_t{0};
};

std::uint64_t value_of(const char* text, const char* key) {
  const char* const line = std::strstr(text, key);
  return line == nullptr ? 0 : std::strtoull(line + std::strlen(key), nullptr, 16);
}

// System calls are made directly: the C library's calls are the program's.
SignalsOfThread signals_of(pid_t thread) {
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/task/%d/status", static_cast<int>(thread));
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, name.data(), O_RDONLY | O_CLOEXEC));
  if (file < 0) return {};
  std::array<char, 4096> text{};
  syscall(SYS_read, file, text.data(), text.size() - 1);
  syscall(SYS_close, file);
  return {value_of(text.data(), "SigPnd:"), value_of(text.data(), "ShdPnd:"),
          value_of(text.data(), "SigBlk:")};
}

}  // namespace

namespace {

using Handlers = ProgramThread::Handlers;

/// Whether all are blocked that can be: SIGKILL and SIGSTOP, and the C library's own two, can't.
bool are_all(std::uint64_t blocked) {
  constexpr std::uint64_t never = 1ULL << 8 | 1ULL << 18 | 1ULL << 31 | 1ULL << 32;
  return (blocked | never) == ~std::uint64_t{0};
}

/// With the signals that the thread blocks itself, and not for a moment.
SignalsOfThread settled_signals_of(const ProgramThread& thread) {
  constexpr int tries = 20;  // how often it may go in and out meanwhile
  SignalsOfThread signals;
  Handlers handlers{};
  for (int i = 0; i < tries; ++i) {
    const std::uint32_t changes = thread.mask_changes;
    handlers = thread.handlers;
    signals = signals_of(thread.kernel_number);
    if (handlers == thread.handlers && changes == thread.mask_changes) break;
  }
  if (handlers == Handlers::kept_away || (handlers == Handlers::changing && are_all(signals.blocked)))
    signals.blocked = thread.blocked_by_program;
  return signals;
}

}  // namespace

std::uint64_t pending_for_caller() {
  return signals_of(static_cast<pid_t>(syscall(SYS_gettid))).pending;
}

SignalTarget find_target(int signal, pid_t only) {
  const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
  SignalTarget target;
  for (const ProgramThread& thread : ProgramThreads::own().all()) {
    if (thread.kernel_number == 0 || (only != 0 && thread.kernel_number != only)) continue;
    const SignalsOfThread signals = settled_signals_of(thread);
    target.is_pending = ((only == 0 ? signals.pending_of_process : signals.pending) & bit) != 0;
    const std::uint64_t blocked = signals.blocked;
    if ((blocked & bit) != 0) continue;
    target.thread = thread.kernel_number;
    target.is_pending = target.is_pending || (signals.pending & bit) != 0;
    break;
  }
  return target;
}

}  // namespace morgana
