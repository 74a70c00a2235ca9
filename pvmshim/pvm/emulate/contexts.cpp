// Contexts: pvmd gives out their numbers. And what a task knows of itself.

#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/task_call.h"

using namespace morgana::pvm;
using morgana::Call;

namespace {

template <typename Body>
int local_call(const char* name, const Body& body) {
  return reported(name, [&] {
    const int error = enrol();
    return error != PvmOk ? error : body();
  });
}

}  // namespace

int pvm_newcontext(void) {
  return reported_call(Call::pvm_newcontext, [](OpenCall& call) {
    return ask_daemon(call, {Ask::new_context, 0, {}, {}, {}}).status;
  });
}

int pvm_freecontext(int context) {
  return reported_call(Call::pvm_freecontext, [&](OpenCall& call) {
    return ask_daemon(call, {Ask::free_context, 0, {context}, {}, {}}).status;
  });
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
