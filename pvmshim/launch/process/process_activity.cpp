#include "pvmshim/launch/process/process_activity.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/process/process_tree.h"

namespace morgana {
namespace {

/// System calls that wait for something, by their numbers on this kind of processor.
struct NamedCall {
  long number;
  std::string_view name;
  bool of_descriptor = false;  ///< its first argument is one
};
constexpr std::array named_calls{
    NamedCall{SYS_read, "read", true},
    NamedCall{SYS_readv, "readv", true},
    NamedCall{SYS_pread64, "pread", true},
    NamedCall{SYS_write, "write", true},
    NamedCall{SYS_writev, "writev", true},
    NamedCall{SYS_ppoll, "ppoll"},
    NamedCall{SYS_pselect6, "pselect"},
    NamedCall{SYS_epoll_pwait, "epoll_pwait", true},
#ifdef SYS_poll
    NamedCall{SYS_poll, "poll"},
    NamedCall{SYS_select, "select"},
    NamedCall{SYS_epoll_wait, "epoll_wait", true},
    NamedCall{SYS_pause, "pause"},
    NamedCall{SYS_open, "open"},
#endif
    NamedCall{SYS_openat, "openat"},
    NamedCall{SYS_nanosleep, "nanosleep"},
    NamedCall{SYS_clock_nanosleep, "clock_nanosleep"},
    NamedCall{SYS_wait4, "wait4 (for a child process)"},
    NamedCall{SYS_waitid, "waitid (for a child process)"},
    NamedCall{SYS_accept, "accept", true},
    NamedCall{SYS_accept4, "accept4", true},
    NamedCall{SYS_connect, "connect", true},
    NamedCall{SYS_recvfrom, "recvfrom", true},
    NamedCall{SYS_recvmsg, "recvmsg", true},
    NamedCall{SYS_sendto, "sendto", true},
    NamedCall{SYS_sendmsg, "sendmsg", true},
    NamedCall{SYS_rt_sigsuspend, "sigsuspend"},
    NamedCall{SYS_rt_sigtimedwait, "sigtimedwait"},
    NamedCall{SYS_flock, "flock", true},
    NamedCall{SYS_fcntl, "fcntl", true},
    NamedCall{SYS_ioctl, "ioctl", true},
    NamedCall{SYS_fsync, "fsync", true},
    NamedCall{SYS_semop, "semop"},
    NamedCall{SYS_semtimedop, "semtimedop"},
    NamedCall{SYS_msgrcv, "msgrcv"},
    NamedCall{SYS_msgsnd, "msgsnd"},
    NamedCall{SYS_mq_timedreceive, "mq_timedreceive", true},
    NamedCall{SYS_mq_timedsend, "mq_timedsend", true},
};

std::string descriptor_text(pid_t process, unsigned long descriptor) {
  std::error_code failure;
  const auto file =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", process, descriptor), failure);
  return failure ? fmt::format("descriptor {}", descriptor)
                 : fmt::format("descriptor {} ({})", descriptor, file.string());
}

/// @param text  of /proc/PID/task/TID/syscall: the call's number and arguments, if the thread sleeps in one
std::string describe_call(pid_t process, const std::string& text) {
  long number = -1;
  unsigned long first = 0;
  if (std::sscanf(text.c_str(), "%ld %lx", &number, &first) < 2 || number < 0) return "";
  if (number == SYS_futex) return "futex (a lock, or another thread)";
  const auto call = std::ranges::find(named_calls, number, &NamedCall::number);
  if (call == named_calls.end()) return fmt::format("system call {}", number);
  return call->of_descriptor ? fmt::format("{} of {}", call->name, descriptor_text(process, first))
                             : std::string(call->name);
}

ThreadActivity::Does does(char state) {
  switch (state) {
    case 'S':
    case 'I':
      return ThreadActivity::Does::sleeps;
    case 'T':
    case 't':
      return ThreadActivity::Does::stopped;
    case 0:
    case 'X':
    case 'Z':
      return ThreadActivity::Does::ended;
    default:
      return ThreadActivity::Does::runs;
  }
}

/// Of proc(5)'s `stat`, whose state stands behind a name that may hold anything.
char state_in(const std::string& stat) {
  const std::size_t after_name = stat.rfind(')');
  return after_name == std::string::npos || after_name + 2 >= stat.size() ? '\0' : stat[after_name + 2];
}

ThreadActivity activity_of_thread(pid_t process, pid_t thread) {
  const std::string folder = fmt::format("/proc/{}/task/{}/", process, thread);
  ThreadActivity activity{thread, does(state_in(read_proc_file(folder + "stat"))), ""};
  if (activity.does == ThreadActivity::Does::sleeps)
    activity.in = describe_call(process, read_proc_file(folder + "syscall"));
  return activity;
}

/// Whether any process below this one runs.
bool runs_below(pid_t process) {
  const auto children = ProcessTree::children_of(process);
  return std::ranges::any_of(children, [](pid_t child) {
    const std::string stat = read_proc_file(fmt::format("/proc/{}/stat", child));
    return does(state_in(stat)) == ThreadActivity::Does::runs || runs_below(child);
  });
}

}  // namespace

bool ProcessActivity::has(ThreadActivity::Does what) const {
  return std::ranges::any_of(threads, [what](const ThreadActivity& thread) { return thread.does == what; });
}

ProcessActivity activity_of(pid_t process, std::size_t most_threads) {
  ProcessActivity activity;
  activity.used = std::chrono::nanoseconds(processor_ns_of(process).value_or(0));
  std::vector<pid_t> threads;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), ignored))
    threads.push_back(std::atoi(entry.path().filename().c_str()));
  std::ranges::sort(threads, {}, [process](pid_t thread) { return thread == process ? 0 : thread; });
  if (threads.size() > most_threads) threads.resize(most_threads);
  for (const pid_t thread : threads) {
    ThreadActivity one = activity_of_thread(process, thread);
    if (one.does != ThreadActivity::Does::ended) activity.threads.push_back(std::move(one));
  }
  activity.child_runs = runs_below(process);
  return activity;
}

}  // namespace morgana
