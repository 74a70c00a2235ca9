#include "pvmshim/launch/process/interrupt.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "emulator/core/unfinished_path.h"

namespace morgana {
namespace {

/// Whoever sends a signal twice in this time has not lost patience: timeout(1) and batch systems signal a
/// process and then its group.
constexpr std::int64_t patience_ns = 2'000'000'000;
/// How long what waits may take to obey.
constexpr timeval obedience{0, 100'000};
/// How long a process that ends where it is waits for its helpers.
constexpr int looks_at_guardian = 5000, looks_at_reader = 200;
constexpr timespec between_looks_at_helpers{0, 5'000'000};

std::atomic<int> noted_signal{0};
std::atomic<std::int64_t> noted_at_ns{0};
std::atomic<bool> obeyed{false}, wipe_line{false}, parent_tells{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "they are set in a signal handler");

struct Helper {
  std::atomic<pid_t> process{0};
  pid_t parent = 0;  ///< a process that this one has forked has the table, too
  int lifeline = -1;
  int looks = 0;
};
std::array<Helper, 16> helpers;

/// From here on only what is async-signal-safe.

void say(const char* text) {
  (void)!write(STDERR_FILENO, text, strlen(text));
}

void say_number(int number) {
  char text[12];
  int at = sizeof text;
  text[--at] = '\0';
  do text[--at] = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  say(text + at);
}

const char* words_for(int signal) {
  switch (signal) {
    case SIGINT:
      return "Interrupt";
    case SIGTERM:
      return "Terminated";
    default:
      return "Hangup";
  }
}

void end(Helper& helper) {
  const pid_t process = helper.process;
  close(helper.lifeline);
  for (int look = 0; look < helper.looks; ++look) {
    if (waitpid(process, nullptr, WNOHANG) != 0) return;
    nanosleep(&between_looks_at_helpers, nullptr);
  }
  kill(process, SIGKILL);
}

/// Nobody has obeyed.
void end_where_it_is(int) {
  if (obeyed) return;
  for (std::size_t i = helpers.size(); i-- > 0;)
    if (helpers[i].process > 0 && helpers[i].parent == getpid()) end(helpers[i]);
  remove_unfinished_paths();
  if (parent_tells) _exit(128 + noted_signal);
  if (wipe_line) say("\r\033[K");
  say("morgana: interrupted by signal ");
  say_number(noted_signal);
  say(" (");
  say(words_for(noted_signal));
  say(")\n");
  _exit(128 + noted_signal);
}

void note(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  if (noted_signal.load(std::memory_order_relaxed) == 0) {
    noted_at_ns.store(now_ns, std::memory_order_relaxed);
    noted_signal.store(signal, std::memory_order_relaxed);
    const itimerval once{{0, 0}, obedience};
    setitimer(ITIMER_REAL, &once, nullptr);
  } else if (now_ns - noted_at_ns.load(std::memory_order_relaxed) > patience_ns) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    raise(signal);  // delivered when this handler returns
  }
}

}  // namespace

Interrupted::Interrupted(int signal, const std::string& more)
    : std::runtime_error(std::string("interrupted by signal ") + std::to_string(signal) + " (" +
                         words_for(signal) + ")" + more),
      signal_(signal) {}

void install_signal_handlers() {
  struct sigaction action {};
  // No SA_RESTART: what sleeps must wake.
  sigemptyset(&action.sa_mask);
  action.sa_handler = end_where_it_is;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = note;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

int interrupted() {
  return noted_signal.load(std::memory_order_relaxed);
}

void throw_if_interrupted() {
  if (const int signal = interrupted()) {
    obeyed = true;
    throw Interrupted(signal);
  }
}

void leave_message_to_parent() {
  parent_tells = true;
}

void wipe_line_when_interrupted(bool wipe) {
  wipe_line = wipe;
}

HelperProcess::HelperProcess(pid_t process, int lifeline, Patience patience) : place_(-1) {
  for (std::size_t i = 0; i < helpers.size(); ++i) {
    if (helpers[i].process != 0) continue;
    helpers[i].parent = getpid();
    helpers[i].lifeline = lifeline;
    helpers[i].looks = patience == Patience::long_enough ? looks_at_guardian : looks_at_reader;
    helpers[i].process = process;
    place_ = static_cast<int>(i);
    return;
  }
}

HelperProcess::~HelperProcess() {
  if (place_ >= 0) helpers[static_cast<std::size_t>(place_)].process = 0;
}

}  // namespace morgana
