#include "pvmshim/pvm/emulate/process_end.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>

#include "pvmshim/clock/libc_call.h"
#include "pvmshim/pvm/api.h"
#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/open_call.h"
#include "pvmshim/pvm/emulate/output.h"

namespace morgana::pvm {
namespace {

pid_t rank_process = 0;
bool rank_ended = false;

/// Not the rank's child, whether forked or sharing its memory until it executes something.
bool is_rank() {
  return rank_process == getpid() && LiveRank::active() != nullptr;
}

}  // namespace

void end_rank_with_process() {
  rank_process = getpid();
}

namespace {

/// Tells the daemon that the task leaves, unless it has left by pvm_exit: no call of the program's. @return
/// whether it could
bool say_goodbye() {
  try {
    OpenCall call(Call::unknown);
    flush_output();
    if (pvmmytid != -1) tell_daemon(call, {Ask::leave, 0, {}, {}, {}});
    return true;
  } catch (const std::exception&) {
    return false;  // whoever watches the process sees it end
  }
}

}  // namespace

void end_rank() {
  if (!is_rank() || rank_ended || is_asleep()) return;
  rank_ended = true;
  if (!say_goodbye()) return;
  const LiveRank::Visit visit(me().live);
  Operation last;
  last.kind = OperationKind::exit;
  last.call = Call::pvm_exit;  // for the launcher: the process ends with the task
  me().live.exit(last);
  wait_for_output();
}

Successor pass_rank_on() {
  if (rank_process == 0) return Successor::first;
  if (!is_rank() || rank_ended || is_asleep() || !say_goodbye()) return Successor::none;
  withdraw();
  me().live.pass_on(true);
  return Successor::next;
}

void keep_rank(Successor successor) {
  if (successor == Successor::next) me().live.pass_on(false);
}

namespace {

__attribute__((destructor)) void at_exit() {
  end_rank();
}

[[noreturn]] void end_now(int status) {
  end_rank();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

}  // namespace
}  // namespace morgana::pvm

MORGANA_EXPORT void _exit(int status) {
  morgana::pvm::end_now(status);
}

MORGANA_EXPORT void _Exit(int status) noexcept {
  morgana::pvm::end_now(status);
}
