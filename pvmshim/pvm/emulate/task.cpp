#include "pvmshim/pvm/emulate/task.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/errors.h"
#include "pvmshim/pvm/emulate/handlers.h"
#include "pvmshim/pvm/emulate/process_end.h"
#include "pvmshim/pvmd/request.h"

int pvmmytid = -1, pvmmyptid = -1, pvmmyupid = -1;
int pvmmyctx = PvmBaseContext;
int pvm_useruid = -1;
int pvmmydsig = 0;
char* pvmmytaskname = nullptr;

namespace morgana::pvm {
namespace {

Task* task = nullptr;
bool has_left = false;

void forget_channel() {
  for (const char* variable : {RankChannel::path_variable, task_variable, parent_variable, left_variable})
    unsetenv(variable);
}

int number_in(const char* variable, int otherwise) {
  const char* text = getenv(variable);
  return text == nullptr ? otherwise : static_cast<int>(strtol(text, nullptr, 0));
}

bool attach() {
  const char* channel = getenv(RankChannel::path_variable);
  const TaskId id = number_in(task_variable, 0);
  if (channel == nullptr || id <= 0) {
    static bool said = false;
    if (!std::exchange(said, true)) pvmlogprintf("no emulator: start PVM programs with 'morgana run'\n");
    return false;
  }
  task = new Task(channel, id, number_in(parent_variable, PvmNoParent));
  LiveRank::become_active(task->live);
  // What a forked child executes is no task either.
  pthread_atfork(nullptr, nullptr, forget_channel);
  end_rank_with_process();
  pvmmyctx = number_in("PVMCTX", pvmmyctx);
  has_left = getenv(left_variable) != nullptr;
  return true;
}

TaskId ask_for_new_id() {
  OpenCall call(Call::pvm_mytid);
  Request request;
  request.ask = Ask::enroll;
  return ask_daemon(call, std::move(request)).status;
}

/// The task has left the machine; the process becomes another one, which nobody has started.
int come_back() {
  const TaskId id = ask_for_new_id();
  if (id < 0) return id;
  {
    const LiveRank::Visit visit(task->live);
    Operation last;
    last.kind = OperationKind::exit;
    last.call = Call::pvm_mytid;
    task->live.exit(last);
  }
  task = new Task(getenv(RankChannel::path_variable), id, PvmNoParent);
  LiveRank::become_active(task->live);
  // What the process executes later goes on as this one.
  setenv(task_variable, std::to_string(id).c_str(), 1);
  setenv(parent_variable, std::to_string(PvmNoParent).c_str(), 1);
  const LiveRank::Visit visit(task->live);
  Operation begin;  // whose answer sets the clock: time has passed
  begin.kind = OperationKind::read_clock;
  begin.call = Call::pvm_mytid;
  task->live.ask(begin);
  return PvmOk;
}

}  // namespace

Task::Task(const std::string& channel, TaskId task, TaskId task_parent)
    : live(channel, rank_of(task), task_parent != PvmNoParent), id(task), parent(task_parent) {}

int enrol() {
  if (pvmmytid != -1) return LiveRank::active() != nullptr ? PvmOk : PvmSysErr;
  if (task != nullptr && LiveRank::active() == nullptr) return PvmSysErr;  // a forked child
  if (task == nullptr && !attach()) return PvmSysErr;
  if (std::exchange(has_left, false))
    if (const int error = come_back(); error != PvmOk) return error;
  pvm_useruid = static_cast<int>(getuid());
  pvmmyupid = getpid();
  pvmmydsig = 0x408c41;
  pvmmyptid = task->parent == PvmNoParent ? 0 : task->parent;
  pvmmytid = task->id;
  handlers().add_own();
  return PvmOk;
}

Task& me() {
  return *task;
}

void withdraw() {
  has_left = true;
  pvmmytid = pvmmyptid = -1;
}

}  // namespace morgana::pvm

int pvmbeatask(void) {
  return morgana::pvm::guarded([] { return morgana::pvm::enrol(); });
}

/// What forked children of the real library's tasks call to be none themselves.
int pvmendtask(void) {
  pvmmytid = -1;
  return PvmOk;
}

int pvmsettaskname(const char* name) {
  if (name == nullptr) return lpvmerr("pvmsettaskname", PvmBadParam);
  if (pvmmytid != -1) return lpvmerr("pvmsettaskname", PvmExists);
  free(pvmmytaskname);
  pvmmytaskname = strdup(name);
  return PvmOk;
}
