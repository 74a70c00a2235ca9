#pragma once

#include <sys/types.h>

#include <cstdlib>
#include <string>

#include "pvmshim/launch/process/proc_file.h"

namespace morgana {

/// What /proc shows of a process at this moment.
struct ProcessState {
  char letter = 0;       ///< of proc(5): R, S, D, T, t, Z, X ...; 0 if there is no such process
  bool exiting = false;  ///< the kernel has begun to end it

  bool is_stopped() const { return letter == 'T'; }
  bool is_traced() const { return letter == 't'; }
  bool has_ended() const { return letter == 0 || letter == 'Z' || letter == 'X'; }
  /// It is about to be a zombie: what it had open may be closed already, although it has not ended for those
  /// who wait for it.
  bool is_ending() const { return exiting && !has_ended(); }
};

inline ProcessState state_of(pid_t process) {
  constexpr unsigned long exiting_flag = 0x4;  // PF_EXITING in linux/sched.h
  // "pid (name) state parent group session terminal foreground flags ...", and the name may hold anything.
  const std::string text = read_proc_file("/proc/" + std::to_string(process) + "/stat");
  const std::size_t after_name = text.rfind(')');
  if (after_name == std::string::npos || after_name + 2 >= text.size()) return {};
  std::size_t at = after_name + 2;
  for (int field = 0; field < 6; ++field) {
    at = text.find(' ', at);
    if (at == std::string::npos) return {text[after_name + 2]};
    ++at;
  }
  return {text[after_name + 2], (std::strtoul(text.c_str() + at, nullptr, 10) & exiting_flag) != 0};
}

}  // namespace morgana
