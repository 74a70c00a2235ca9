// Contexts are numbers that no two tasks give out: a task makes them without asking anybody.

#include <set>

#include "pvmshim/pvm/task_call.h"

using namespace morgana::pvm;

namespace {

constexpr int contexts_per_task = 1 << 12;

std::set<int>& contexts_in_use() {
  static std::set<int>& all = *new std::set<int>;
  return all;
}

int make_context() {
  const int first = static_cast<int>(me().live.rank()) * contexts_per_task;
  for (int i = 0; i < contexts_per_task; ++i) {
    const int context = first + me().contexts++ % contexts_per_task;
    if (contexts_in_use().insert(context).second) return context;
  }
  return PvmOutOfRes;
}

template <typename Body>
int local_call(const char* name, const Body& body) {
  return reported(name, [&] {
    const int error = enrol();
    return error != PvmOk ? error : body();
  });
}

}  // namespace

int pvm_newcontext(void) {
  return local_call("pvm_newcontext", make_context);
}

int pvm_freecontext(int context) {
  return local_call("pvm_freecontext",
                    [&] { return contexts_in_use().erase(context) > 0 ? PvmOk : PvmNotFound; });
}

int pvm_mytid(void) {
  return local_call("pvm_mytid", [] { return pvmmytid; });
}

int pvm_parent(void) {
  return guarded([] {
    if (const int error = enrol(); error != PvmOk) return lpvmerr("pvm_parent", error);
    return pvmmyptid != 0 ? pvmmyptid : PvmNoParent;
  });
}

int pvm_tidtohost(int task) {
  return task & 0x3ffc0000;
}
