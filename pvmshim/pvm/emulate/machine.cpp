// The virtual machine: its hosts and tasks, and the end of all.

#include <string.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/handlers.h"
#include "pvmshim/pvm/emulate/inbox.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/output.h"
#include "pvmshim/pvm/emulate/send_message.h"
#include "pvmshim/pvm/emulate/task_call.h"

using namespace morgana::pvm;
using morgana::Call;

namespace {

constexpr int most_hosts = 0xfff;

/// What pvm_config shows, until its next call.
struct HostList {
  std::deque<std::string> texts;
  std::vector<pvmhostinfo> hosts;
  int architectures = 0;

  HostList() = default;
  explicit HostList(const Reply& reply)
      : texts(reply.texts.begin(), reply.texts.end()), architectures(static_cast<int>(reply.numbers.at(0))) {
    constexpr std::size_t numbers_of_host = 3;
    for (std::size_t i = 0; i < texts.size() / 2; ++i) {
      const auto number = [&](std::size_t n) {
        return static_cast<int>(reply.numbers.at(1 + i * numbers_of_host + n));
      };
      hosts.push_back({number(0), texts[2 * i].data(), texts[2 * i + 1].data(), number(1), number(2)});
    }
  }
};

/// What pvm_tasks shows, until its next call.
struct TaskList {
  std::deque<std::string> programs;
  std::vector<pvmtaskinfo> tasks;

  TaskList() = default;
  explicit TaskList(const Reply& reply) : programs(reply.texts.begin(), reply.texts.end()) {
    constexpr std::size_t numbers_of_task = 5;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const auto number = [&](std::size_t n) {
        return static_cast<int>(reply.numbers.at(i * numbers_of_task + n));
      };
      tasks.push_back({number(0), number(1), number(2), number(3), programs[i].data(), number(4)});
    }
  }
};

HostList& shown_hosts() {
  static HostList& list = *new HostList;
  return list;
}

int change_hosts(OpenCall& call, Ask ask, char** names, int count, int* results) {
  if (count < 1 || count > most_hosts) return PvmBadParam;
  const Reply reply = ask_daemon(call, {ask, 0, {}, std::vector<std::string>(names, names + count), {}});
  for (std::size_t i = 0; results != nullptr && i < reply.numbers.size(); ++i)
    results[i] = static_cast<int>(reply.numbers[i]);
  return reply.status;
}

/// The task has said all: what has come for it is forgotten.
int leave(OpenCall& call) {
  int got = 0;
  call.keep_polls_within();
  do got = inbox().try_receive(call, {-1, -1, pvmmyctx});
  while (got > 0 || got == PvmHostFail);
  if (buffers().receive != nullptr) buffers().free(*buffers().receive);
  inbox().clear();
  fflush(stderr);
  fflush(stdout);
  finish_output(call);
  tell_daemon(call, {Ask::leave, 0, {}, {}, {}});
  handlers().clear();
  buffers().set_send(nullptr);
  buffers().set_receive(nullptr);
  withdraw();
  return PvmOk;
}

}  // namespace

int pvm_exit(void) {
  if (pvmmytid == -1) return PvmOk;
  return reported_call(Call::pvm_exit, leave);
}

int pvm_halt(void) {
  return reported_call(Call::pvm_halt, [](OpenCall& call) {
    return std::min(ask_daemon(call, {Ask::halt, 0, {}, {}, {}}).status, int{PvmOk});
  });
}

int pvm_config(int* hosts, int* architectures, pvmhostinfo** list) {
  return reported_call(Call::pvm_config, [&](OpenCall& call) {
    const Reply reply = ask_daemon(call, {Ask::config, 0, {}, {}, {}});
    if (reply.status < 0) return reply.status;
    shown_hosts() = HostList(reply);
    if (hosts != nullptr) *hosts = static_cast<int>(shown_hosts().hosts.size());
    if (architectures != nullptr) *architectures = shown_hosts().architectures;
    if (list != nullptr) *list = shown_hosts().hosts.data();
    return PvmOk;
  });
}

int pvm_archcode(char* architecture) {
  return reported_call(Call::pvm_archcode, [&](OpenCall& call) -> int {
    if (architecture == nullptr) return PvmBadParam;
    const Reply reply = ask_daemon(call, {Ask::config, 0, {}, {}, {}});
    if (reply.status < 0) return reply.status;
    const HostList list(reply);
    const auto found = std::ranges::find_if(
        list.hosts, [&](const pvmhostinfo& host) { return strcmp(host.hi_arch, architecture) == 0; });
    return found == list.hosts.end() ? PvmNotFound : found->hi_dsig;
  });
}

int pvm_tasks(int where, int* count, pvmtaskinfo** tasks) {
  static TaskList& list = *new TaskList;
  return reported_call(Call::pvm_tasks, [&](OpenCall& call) {
    const Reply reply = ask_daemon(call, {Ask::tasks, 0, {where}, {}, {}});
    if (reply.status < 0) return reply.status;
    list = TaskList(reply);
    if (count != nullptr) *count = static_cast<int>(list.tasks.size());
    if (tasks != nullptr) *tasks = list.tasks.data();
    return PvmOk;
  });
}

int pvm_addhosts(char** names, int count, int* results) {
  return reported_call(Call::pvm_addhosts, [&](OpenCall& call) {
    return change_hosts(call, Ask::add_hosts, names, count, results);
  });
}

int pvm_delhosts(char** names, int count, int* results) {
  return reported_call(Call::pvm_delhosts, [&](OpenCall& call) {
    return change_hosts(call, Ask::delete_hosts, names, count, results);
  });
}

int pvm_mstat(char* host) {
  return reported_call(Call::pvm_mstat,
                       [&](OpenCall& call) -> int {
                         if (host == nullptr || *host == '\0') return PvmBadParam;
                         return ask_daemon(call, {Ask::host_status, 0, {}, {host}, {}}).status;
                       },
                       {PvmNoHost, PvmHostFail});
}

int pvm_pstat(int task) {
  return reported_call(Call::pvm_pstat,
                       [&](OpenCall& call) -> int {
                         if (!is_task(task)) return PvmBadParam;
                         return ask_daemon(call, {Ask::task_status, 0, {task}, {}, {}}).status;
                       },
                       {PvmNoTask});
}

/// The clocks of emulated hosts do not differ: what is not 0 in the difference is half of the way there and
/// back.
int pvm_hostsync(int host, timeval* clock, timeval* difference) {
  return reported_call(Call::pvm_hostsync, [&](OpenCall& call) {
    const std::int64_t epoch_us = me().live.settings().epoch_s * 1'000'000;
    const auto now_us = [&] { return me().live.read_clock(Call::pvm_hostsync).ps() / 1'000'000; };
    const std::int64_t before = now_us();
    const Reply reply = ask_daemon(call, {Ask::clock, 0, {host}, {}, {}});
    if (reply.status < 0) return reply.status;
    const std::int64_t there = reply.numbers.at(0);
    const auto as_timeval = [](std::int64_t us) {
      // Negative ones as seconds below and microseconds above.
      const std::int64_t seconds = us >= 0 ? us / 1'000'000 : -((-us + 999'999) / 1'000'000);
      return timeval{seconds, us - seconds * 1'000'000};
    };
    if (clock != nullptr) *clock = as_timeval(epoch_us + there);
    if (difference != nullptr) *difference = as_timeval((before + now_us()) / 2 - there);
    return PvmOk;
  });
}

int pvm_start_pvmd(int, char**, int) {
  return PvmOk;  // it runs
}

int pvmreset(int task, int kill_tasks, char* name, int index) {
  int count = 0;
  pvmtaskinfo* tasks = nullptr;
  if (kill_tasks != 0 && pvm_tasks(0, &count, &tasks) == PvmOk) {
    int kept_count = 0;
    int* kept = nullptr;
    pvm_getnoresets(&kept, &kept_count);
    for (int i = 0; i < count; ++i)
      if (tasks[i].ti_tid != task && std::find(kept, kept + kept_count, tasks[i].ti_tid) == kept + kept_count)
        pvm_kill(tasks[i].ti_tid);
  }
  pvmmboxinfo* boxes = nullptr;
  if (pvm_getmboxinfo(name, &count, &boxes) < 0) return PvmOk;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < boxes[i].mi_nentries; ++j)
      if (index == -1 || boxes[i].mi_indices[j] == index)
        pvm_delinfo(boxes[i].mi_name, boxes[i].mi_indices[j], PvmMboxDefault);
  return PvmOk;
}
