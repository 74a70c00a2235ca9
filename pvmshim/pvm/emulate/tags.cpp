// Names of the real library's message tags, for programs that print what they receive.

#include <stdio.h>

#include <array>

#include "pvmshim/pvm/api.h"

namespace {

struct Range {
  unsigned first;
  const char* const* names;
  std::size_t count;
};

constexpr std::array task_to_daemon{"TM_CONNECT",  "TM_CONN2",   "TM_EXIT",   "TM_ADDHOST", "TM_DELHOST",
                                    "TM_CONFIG",   "TM_MSTAT",   "TM_HALT",   "TM_TICKLE",  "TM_SPAWN",
                                    "TM_PSTAT",    "TM_SENDSIG", "TM_TASK",   "TM_MCA",     "TM_NOTIFY",
                                    "TM_DB",       "TM_SCHED",   "TM_TASKER", "TM_HOSTER",  "TM_TRACER",
                                    "TM_HOSTSYNC", "TM_SETOPT",  "TM_GETOPT", "TM_CONTEXT", "TM_SHMCONN"};
constexpr std::array daemon_to_daemon{
    "DM_ADD",      "DM_ADDACK",     "DM_EXEC",   "DM_EXECACK",   "DM_SENDSIG",    "DM_HTUPD",
    "DM_HTUPDACK", "DM_HTCOMMIT",   "DM_SLCONF", "DM_STARTACK",  "DM_TASK",       "DM_TASKACK",
    "DM_DELHOST",  "DM_DELHOSTACK", "DM_NULL",   "DM_TASKOUT",   "DM_PSTAT",      "DM_PSTATACK",
    "DM_HALT",     "DM_MCA",        "DM_NOTIFY", "DM_NOTIFYACK", "DM_DB",         "DM_DBACK",
    "DM_RESET",    "DM_RESETACK",   "DM_HTDEL",  "DM_HOSTSYNC",  "DM_HOSTSYNCACK"};
constexpr std::array task_to_task{"TC_CONREQ",    "TC_CONACK",   "TC_TASKEXIT", "TC_NOOP",
                                  "TC_OUTPUT",    "TC_SETTRACE", "TC_SETTMASK", "TC_SETTRCBUF",
                                  "TC_SETTRCOPT", "TC_SHMAT",    "TC_OUTPUTX",  "TC_SIBLINGS"};
constexpr std::array scheduler{"SM_SPAWN",     "SM_EXEC",    "SM_EXECACK", "SM_TASK",   "SM_CONFIG",
                               "SM_ADDHOST",   "SM_DELHOST", "SM_ADD",     "SM_ADDACK", "SM_NOTIFY",
                               "SM_TASKX",     "SM_HOSTX",   "SM_HANDOFF", "SM_SCHED",  "SM_STHOST",
                               "SM_STHOSTACK", "SM_STTASK"};

constexpr std::array ranges{
    Range{0x80010001, task_to_daemon.data(), task_to_daemon.size()},
    Range{0x80020001, daemon_to_daemon.data(), daemon_to_daemon.size()},
    Range{0x80030001, task_to_task.data(), task_to_task.size()},
    Range{0x80040001, scheduler.data(), scheduler.size()},
};

}  // namespace

char* pvmnametag(int tag, int* known) {
  static char number[16];
  const auto value = static_cast<unsigned>(tag);
  for (const Range& range : ranges) {
    if (value < range.first || value - range.first >= range.count) continue;
    if (known != nullptr) *known = 1;
    return const_cast<char*>(range.names[value - range.first]);
  }
  if (known != nullptr) *known = 0;
  snprintf(number, sizeof number, "%d", tag);
  return number;
}
