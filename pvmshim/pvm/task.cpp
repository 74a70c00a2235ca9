#include "pvmshim/pvm/task.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <utility>

#include "pvmshim/pvm/errors.h"
#include "pvmshim/pvm/process_end.h"
#include "pvmshim/pvmd/request.h"

int pvmmytid = -1, pvmmyptid = -1, pvmmyupid = -1;
int pvmmyctx = PvmBaseContext;
int pvm_useruid = -1;
int pvmmydsig = 0;
char* pvmmytaskname = nullptr;

namespace morgana::pvm {
namespace {

Task* task = nullptr;

void forget_channel() {
  for (const char* variable : {RankChannel::path_variable, task_variable, parent_variable})
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
  return true;
}

}  // namespace

int enrol() {
  if (pvmmytid != -1) return LiveRank::active() != nullptr ? PvmOk : PvmSysErr;
  if (task != nullptr && LiveRank::active() == nullptr) return PvmSysErr;  // a forked child
  if (task == nullptr && !attach()) return PvmSysErr;
  pvm_useruid = static_cast<int>(getuid());
  pvmmyupid = getpid();
  pvmmydsig = 0x408c41;
  pvmmyptid = task->parent == PvmNoParent ? 0 : task->parent;
  pvmmytid = task->id;
  return PvmOk;
}

Task& me() {
  return *task;
}

void withdraw() {
  pvmmytid = pvmmyptid = -1;
}

}  // namespace morgana::pvm

int pvmbeatask(void) {
  return morgana::pvm::guarded([] { return morgana::pvm::enrol(); });
}

int pvmendtask(void) {
  morgana::pvm::withdraw();
  return PvmOk;
}

int pvmsettaskname(const char* name) {
  if (name == nullptr) return lpvmerr("pvmsettaskname", PvmBadParam);
  if (pvmmytid != -1) return lpvmerr("pvmsettaskname", PvmExists);
  free(pvmmytaskname);
  pvmmytaskname = strdup(name);
  return PvmOk;
}
