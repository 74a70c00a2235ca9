#include "pvmshim/launch/process/signal_effect.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/process/process_state.h"

namespace morgana {
namespace {

using SignalSet = std::uint64_t;

constexpr SignalSet only(int signal) {
  return SignalSet{1} << (signal - 1);
}

/// The set that a line of /proc/PID/status holds.
SignalSet signals_in(const std::string& status, const std::string& name) {
  const std::size_t at = status.find("\n" + name + ":");
  if (at == std::string::npos) return 0;
  return std::strtoull(status.c_str() + at + name.size() + 2, nullptr, 16);
}

std::string proc_file_of(pid_t process, const char* name) {
  return read_proc_file("/proc/" + std::to_string(process) + "/" + name);
}

bool ends_by_default(int signal) {
  switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool ends_process(int signal, pid_t process) {
  if (signal < 1 || signal > 64 || !ends_by_default(signal)) return false;
  const std::string status = proc_file_of(process, "status");
  const SignalSet otherwise =
      signals_in(status, "SigBlk") | signals_in(status, "SigIgn") | signals_in(status, "SigCgt");
  return !status.empty() && (otherwise & only(signal)) == 0;
}

bool is_stopped(pid_t process) {
  return state_of(process).is_stopped();
}

bool is_under_way(pid_t process, bool slept) {
  const std::string status = proc_file_of(process, "status");
  const ProcessState state = state_of(process);
  if (state.has_ended() || state.is_ending()) return true;
  const SignalSet pending = signals_in(status, "SigPnd") | signals_in(status, "ShdPnd");
  if ((pending & ~signals_in(status, "SigBlk")) != 0) return true;
  return slept && state.letter != 'S';
}

}  // namespace morgana
