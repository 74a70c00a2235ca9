// Starting tasks, ending them, and being told of their end.

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/inbox.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/send_message.h"
#include "pvmshim/pvm/emulate/task_call.h"
#include "pvmshim/pvm/emulate/transfer.h"

int pvmnsibs = -1;
int* pvmsibtids = nullptr;
int pvmschedtid = 0;

using namespace morgana::pvm;
using morgana::Call;
using morgana::service_context;

namespace {

/// What a task that starts others hands on: its trace settings and context, and what PVM_EXPORT names.
std::vector<std::string> exported_variables() {
  std::vector<std::string> variables;
  variables.push_back(std::string("PVMTMASK=") + pvmctrc.tmask);
  variables.push_back("PVMTRCBUF=" + std::to_string(pvmctrc.trcbuf));
  variables.push_back("PVMTRCOPT=" + std::to_string(pvmctrc.trcopt));
  char context[32];
  snprintf(context, sizeof context, "PVMCTX=0x%x", static_cast<unsigned>(pvmmyctx));
  variables.push_back(context);
  const char* exported = getenv("PVM_EXPORT");
  if (exported == nullptr) return variables;
  variables.push_back(std::string("PVM_EXPORT=") + exported);
  const std::string names = exported;
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(':', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    if (const char* value = name.empty() ? nullptr : getenv(name.c_str()))
      variables.push_back(name + "=" + value);
    begin = end + 1;
  }
  return variables;
}

Request spawn_request(const char* file, char** arguments, int flags, const char* where, int count) {
  int number = 0;
  while (arguments != nullptr && arguments[number] != nullptr) ++number;
  Request request;
  request.ask = Ask::spawn;
  request.numbers = {flags, count, number};
  request.texts = {file == nullptr ? "" : file, where == nullptr ? "" : where};
  request.texts.insert(request.texts.end(), arguments, arguments + number);
  for (std::string& variable : exported_variables()) request.texts.push_back(std::move(variable));
  return request;
}

/// Tells the tasks just started of each other (pvm_siblings).
void introduce(OpenCall& call, std::span<const TaskId> tasks) {
  Reply group;
  group.status = static_cast<std::int32_t>(tasks.size());
  group.numbers.assign(tasks.begin(), tasks.end());
  const std::vector<std::byte> bytes = encode(group);
  std::vector<morgana::Rank> ranks;
  for (const TaskId task : tasks) ranks.push_back(rank_of(task));
  send(call, ranks, service_context, siblings_tag, morgana::Bytes(static_cast<std::int64_t>(bytes.size())),
       deposit(bytes, static_cast<std::uint32_t>(ranks.size())), OpenCall::Last::no);
}

int spawn(OpenCall& call, const Request& request, int count, int* tasks) {
  const Reply reply = ask_daemon(call, request);
  if (reply.status < 0) return reply.status;
  std::vector<TaskId> ids;
  for (const std::int64_t id : reply.numbers) ids.push_back(static_cast<TaskId>(id));
  ids.resize(static_cast<std::size_t>(count), PvmSysErr);
  // The tasks first, then the errors.
  const auto errors = std::stable_partition(ids.begin(), ids.end(), [](TaskId id) { return id >= 0; });
  const auto started = static_cast<std::size_t>(errors - ids.begin());
  if (tasks != nullptr) std::ranges::copy(ids, tasks);
  if (started > 0) introduce(call, std::span(ids).first(started));
  return static_cast<int>(started);
}

int send_signal(OpenCall& call, int task, int signal) {
  if (!is_task(task)) return PvmBadParam;
  if (signal == SIGKILL) return ask_daemon(call, {Ask::kill, 0, {task}, {}, {}}).status;
  return ask_daemon(call, {Ask::signal, 0, {task, signal}, {}, {}}).status;
}

/// Direct routes between tasks, which the emulated machine has not: one that is to be told of its end has
/// ended.
void notify_of_no_route(int tag, std::span<const int> tasks) {
  constexpr int no_socket = -1;
  for (const int task : tasks) {
    Message& message = buffers().messages.add(Encoding::xdr);
    message.begin_packing();
    message.pack(PVM_INT, &task, 1, 1);
    message.pack(PVM_INT, &no_socket, 1, 1);
    message.tag = tag;
    message.context = pvmmyctx;
    message.source = message.destination = pvmmytid;
    message.shown_length();
    inbox().put(message);
  }
}

int notify(OpenCall& call, int what, int tag, int count, const int* values) {
  if (tag < 0) return PvmBadParam;
  const int kind = what & ~PvmNotifyCancel;
  std::vector<int> ids;
  switch (kind) {
    case PvmTaskExit:
    case PvmHostDelete:
    case PvmRouteDelete:
      if (count < 1) return PvmBadParam;
      ids.assign(values, values + count);
      if (kind != PvmHostDelete && !std::ranges::all_of(ids, is_task)) return PvmBadParam;
      break;
    case PvmHostAdd:
    case PvmRouteAdd:
      break;
    default:
      return PvmBadParam;
  }
  if (kind == PvmRouteAdd) return PvmOk;
  if (kind == PvmRouteDelete) {
    notify_of_no_route(tag, ids);
    return PvmOk;
  }
  std::vector<std::int32_t> numbers{what, pvmmyctx, tag, count};
  numbers.insert(numbers.end(), ids.begin(), ids.end());
  return std::min(ask_daemon(call, {Ask::notify, 0, std::move(numbers), {}, {}}).status, int{PvmOk});
}

int siblings(OpenCall& call) {
  static std::vector<int>& ids = *new std::vector<int>;
  if (pvmnsibs == -1) {
    if (pvmmyptid > 0 || pvmmyptid == PvmParentNotSet) {
      const morgana::Rank parent = pvmmyptid > 0 ? rank_of(pvmmyptid) : morgana::any_rank;
      const auto told = receive(call, {service_context, parent, siblings_tag}, OpenCall::Last::yes);
      for (const std::int64_t id : decode_reply(collect(*told)).numbers) ids.push_back(static_cast<int>(id));
    } else {
      ids = {pvmmytid};
    }
    pvmnsibs = static_cast<int>(ids.size());
    pvmsibtids = ids.data();
  }
  return pvmnsibs;
}

}  // namespace

int pvm_spawn(char* file, char** arguments, int flags, char* where, int count, int* tasks) {
  return reported_call(Call::pvm_spawn, [&](OpenCall& call) -> int {
    if (count < 1) return PvmBadParam;
    if (const char* more = getenv("PVMTASK")) flags |= static_cast<int>(strtol(more, nullptr, 0));
    return spawn(call, spawn_request(file, arguments, flags, where, count), count, tasks);
  });
}

int pvm_kill(int task) {
  return reported_call(Call::pvm_kill, [&](OpenCall& call) {
    const int result = send_signal(call, task, SIGTERM);
    return result < 0 ? lpvmerr("pvm_sendsig", result) : PvmOk;
  });
}

int pvm_sendsig(int task, int signal) {
  return reported_call(Call::pvm_sendsig,
                       [&](OpenCall& call) { return std::min(send_signal(call, task, signal), int{PvmOk}); });
}

int pvm_notify(int what, int tag, int count, int* values) {
  return reported_call(Call::pvm_notify,
                       [&](OpenCall& call) { return notify(call, what, tag, count, values); });
}

int pvm_siblings(int** tasks) {
  return reported_call(Call::pvm_siblings, [&](OpenCall& call) {
    const int count = siblings(call);
    *tasks = pvmsibtids;
    return count;
  });
}
