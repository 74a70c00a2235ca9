// What asks the virtual machine, and what PVM's group library does with messages.

#include <stdlib.h>
#include <string.h>

#include <string>
#include <utility>
#include <vector>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/pvm/record/real_pvm.h"
#include "pvmshim/pvm/record/recorded_call.h"
#include "pvmshim/pvmd/spawn_shortfall.h"

using namespace morgana::pvm::captured;
using morgana::Bytes;
using morgana::Call;
using morgana::Completed;
using morgana::Operation;
using morgana::OperationKind;
using morgana::Rank;
using morgana::Tag;

namespace {

/// A request and its answer, which a replay exchanges with the machine's rank. Their real sizes are PVM's own
/// affair; these are those of a few numbers.
constexpr Bytes request_size{64};

/// The request of a call that is about to ask.
void record_question(RecordedPvmCall& call) {
  Operation send;
  send.kind = OperationKind::send;
  send.mode = morgana::SendMode::buffered;
  send.peer = Rank{0};
  send.tag = Tag{0};
  send.bytes = request_size;
  send.request = call.next_request();
  Completed sent;
  sent.request = send.request;
  call.add(send, call.begin(), call.begin());
  call.add_wait({send.request}, call.begin(), {sent});
}

void record_answer(RecordedPvmCall& call) {
  const morgana::SimTime begin = call.now();
  Operation receive;
  receive.kind = OperationKind::receive;
  receive.peer = Rank{0};
  receive.tag = Tag{0};
  receive.bytes = request_size;
  receive.request = call.next_request();
  Completed answer;
  answer.request = receive.request;
  answer.source = Rank{0};
  answer.tag = Tag{0};
  answer.bytes = request_size;
  call.add(receive, begin, begin);
  call.add_wait({receive.request}, begin, {answer});
}

/// A call that asks the daemon something.
template <typename Real>
int asks(Call name, const Real& real) {
  RecordedPvmCall call(name);
  const bool records = call.active() && !OwnMessages::under_way();
  if (records) record_question(call);
  int result = 0;
  {
    const OwnMessages carried_out_with;
    result = real();
  }
  if (records) record_answer(call);
  return result;
}

/// A call of the group library: what it sends and receives is recorded as it does so.
template <typename Real>
int exchanges(Call name, const Real& real) {
  const RecordedPvmCall call(name);
  return real();
}

/// The real daemon works in the user's home folder, where it looks for "./worker". A program means the folder
/// that it names for its tasks ("host:folder"), or the one where it was started, as in an emulated run.
std::string file_to_start(const std::string& file, const char* where) {
  if (file.find('/') == std::string::npos || file.front() == '/') return file;
  const char* folder = where == nullptr ? nullptr : strchr(where, ':');
  folder = folder == nullptr ? getenv(morgana::pvm::start_folder_variable) : folder + 1;
  return folder == nullptr || *folder == '\0' ? file : std::string(folder) + "/" + file;
}

/// @param result  what pvm_spawn has returned. @param tasks  what it has written
void note_shortfall(const char* file, int count, int result, const std::vector<int>& tasks) {
  const char* folder = getenv(morgana::CaptureLogWriter::folder_variable);
  if (folder == nullptr) return;
  std::int32_t code = result < 0 ? result : 0;
  for (const int task : tasks)
    if (task < 0 && code == 0) code = task;
  morgana::pvm::note_shortfall(folder, {file, count, result < 0 ? 0 : result, code});
}

}  // namespace

int pvm_mytid(void) {
  const int task = MORGANA_REAL(pvm_mytid)();
  if (task > 0) recorder();
  return task;
}

int pvm_parent(void) {
  const int task = MORGANA_REAL(pvm_parent)();
  recorder();
  return task;
}

int pvm_exit(void) {
  // Only what is a task leaves; the real call has nothing else to do either.
  if (*real_symbol<int>("pvmmytid") > 0 && recorder() != nullptr) {
    {
      RecordedPvmCall call(Call::pvm_exit);
      record_question(call);
    }
    end_recording();
  }
  const Unrecorded leaving;
  return MORGANA_REAL(pvm_exit)();
}

int pvm_spawn(char* file, char** arguments, int flags, char* where, int count, int* tasks) {
  RecordedPvmCall call(Call::pvm_spawn);
  // The group library starts its server.
  const bool own = OwnMessages::under_way() || (file != nullptr && strcmp(file, "pvmgs") == 0);
  const bool records = call.active() && !own && count > 0;
  std::vector<int> started(static_cast<std::size_t>(count > 0 ? count : 1));
  std::string found = file == nullptr ? "" : file_to_start(file, where);
  if (records) record_question(call);
  int result = 0;
  {
    const OwnMessages carried_out_with;
    result = MORGANA_REAL(pvm_spawn)(file == nullptr ? nullptr : found.data(), arguments, flags, where, count,
                                     started.data());
  }
  if (records && file != nullptr && result < count) note_shortfall(file, count, result, started);
  if (tasks != nullptr && count > 0) memcpy(tasks, started.data(), started.size() * sizeof(int));
  if (!records) return result;
  for (const int task : started) {
    if (task <= 0) continue;
    Operation spawn;
    spawn.peer = name_of_task(task);  // nothing, with a peer: logs know no spawn
    call.add(spawn, call.begin(), call.begin());
  }
  record_answer(call);
  return result;
}

#define MORGANA_ASKS(name, parameters, arguments)                          \
  int name parameters {                                                    \
    return asks(Call::name, [&] { return MORGANA_REAL(name) arguments; }); \
  }
#define MORGANA_EXCHANGES(name, parameters, arguments)                          \
  int name parameters {                                                         \
    return exchanges(Call::name, [&] { return MORGANA_REAL(name) arguments; }); \
  }

MORGANA_ASKS(pvm_addhosts, (char** names, int count, int* hosts), (names, count, hosts))
MORGANA_ASKS(pvm_archcode, (char* name), (name))
MORGANA_ASKS(pvm_catchout, (FILE * file), (file))
MORGANA_ASKS(pvm_config, (int* hosts, int* formats, pvmhostinfo** all), (hosts, formats, all))
MORGANA_ASKS(pvm_delete, (char* name, int index), (name, index))
MORGANA_ASKS(pvm_delhosts, (char** names, int count, int* results), (names, count, results))
MORGANA_ASKS(pvm_delinfo, (char* name, int index, int flags), (name, index, flags))
MORGANA_ASKS(pvm_freecontext, (int context), (context))
MORGANA_ASKS(pvm_getmboxinfo, (char* pattern, int* count, pvmmboxinfo** all), (pattern, count, all))
MORGANA_ASKS(pvm_getnoresets, (int** tasks, int* count), (tasks, count))
MORGANA_ASKS(pvm_halt, (), ())
MORGANA_ASKS(pvm_hostsync, (int host, timeval* time, timeval* difference), (host, time, difference))
MORGANA_ASKS(pvm_insert, (char* name, int index, int data), (name, index, data))
MORGANA_ASKS(pvm_kill, (int task), (task))
MORGANA_ASKS(pvm_lookup, (char* name, int index, int* data), (name, index, data))
MORGANA_ASKS(pvm_mstat, (char* host), (host))
MORGANA_ASKS(pvm_newcontext, (), ())
MORGANA_ASKS(pvm_notify, (int what, int tag, int count, int* values), (what, tag, count, values))
MORGANA_ASKS(pvm_pstat, (int task), (task))
MORGANA_ASKS(pvm_putinfo, (char* name, int buffer, int flags), (name, buffer, flags))
MORGANA_ASKS(pvm_recvinfo, (char* name, int index, int flags), (name, index, flags))
MORGANA_ASKS(pvm_sendsig, (int task, int signal), (task, signal))
MORGANA_ASKS(pvm_siblings, (int** tasks), (tasks))
MORGANA_ASKS(pvm_tasks, (int where, int* count, pvmtaskinfo** all), (where, count, all))

MORGANA_EXCHANGES(pvm_barrier, (char* group, int count), (group, count))
MORGANA_EXCHANGES(pvm_bcast, (char* group, int tag), (group, tag))
MORGANA_EXCHANGES(pvm_freezegroup, (char* group, int size), (group, size))
MORGANA_EXCHANGES(pvm_getinst, (char* group, int task), (group, task))
MORGANA_EXCHANGES(pvm_gettid, (char* group, int instance), (group, instance))
// pvm3.h does not declare these two.
extern "C" __attribute__((visibility("default"))) int pvm_grphostinfo(char* group, int host, int* coordinator,
                                                                      int* members, int* hosts);
extern "C" __attribute__((visibility("default"))) int pvm_grpvhostinfo(char* group, int** coordinators,
                                                                       int** members, int* hosts);
MORGANA_EXCHANGES(pvm_grphostinfo, (char* group, int host, int* coordinator, int* members, int* hosts),
                  (group, host, coordinator, members, hosts))
MORGANA_EXCHANGES(pvm_grpvhostinfo, (char* group, int** coordinators, int** members, int* hosts),
                  (group, coordinators, members, hosts))
MORGANA_EXCHANGES(pvm_gsize, (char* group), (group))
MORGANA_EXCHANGES(pvm_joingroup, (char* group), (group))
MORGANA_EXCHANGES(pvm_lvgroup, (char* group), (group))
MORGANA_EXCHANGES(pvm_gather, (void* result, void* data, int count, int type, int tag, char* group, int root),
                  (result, data, count, type, tag, group, root))
MORGANA_EXCHANGES(pvm_scatter,
                  (void* result, void* data, int count, int type, int tag, char* group, int root),
                  (result, data, count, type, tag, group, root))
MORGANA_EXCHANGES(pvm_reduce,
                  (void (*combine)(int*, void*, void*, int*, int*), void* data, int count, int type, int tag,
                   char* group, int root),
                  (combine, data, count, type, tag, group, root))
