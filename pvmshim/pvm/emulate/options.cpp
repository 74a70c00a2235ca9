// pvm_getopt, pvm_setopt, and the settings themselves.

#include <string.h>

#include <utility>

#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/output.h"
#include "pvmshim/pvm/emulate/task_call.h"

int pvmrouteopt = PvmAllowDirect;
int pvmdebmask = 0;
int pvmautoerr = 1;
int pvmshowtaskid = 1;
int pvmnoreset = 0, pvmnoresetindex = -1;
int pvmtoplvl = 1;
int pvmudpmtu = 4080;
Pvmtracer pvmtrc{}, pvmctrc{};

using namespace morgana::pvm;

namespace {

/// The setting behind an option; null for those that have none here.
int* setting(int what) {
  switch (what) {
    case PvmRoute:
      return &pvmrouteopt;
    case PvmDebugMask:
      return &pvmdebmask;
    case PvmAutoErr:
      return &pvmautoerr;
    case PvmOutputTid:
      return &pvmctrc.outtid;
    case PvmOutputContext:
      return &pvmctrc.outctx;
    case PvmOutputCode:
      return &pvmctrc.outtag;
    case PvmTraceTid:
      return &pvmctrc.trctid;
    case PvmTraceContext:
      return &pvmctrc.trcctx;
    case PvmTraceCode:
      return &pvmctrc.trctag;
    case PvmTraceBuffer:
      return &pvmctrc.trcbuf;
    case PvmTraceOptions:
      return &pvmctrc.trcopt;
    case PvmFragSize:
      return &pvmfrgsiz;
    case PvmResvTids:
      return &pvmrescode;
    case PvmSelfOutputTid:
      return &pvmtrc.outtid;
    case PvmSelfOutputContext:
      return &pvmtrc.outctx;
    case PvmSelfOutputCode:
      return &pvmtrc.outtag;
    case PvmSelfTraceTid:
      return &pvmtrc.trctid;
    case PvmSelfTraceContext:
      return &pvmtrc.trcctx;
    case PvmSelfTraceCode:
      return &pvmtrc.trctag;
    case PvmSelfTraceBuffer:
      return &pvmtrc.trcbuf;
    case PvmSelfTraceOptions:
      return &pvmtrc.trcopt;
    case PvmShowTids:
      return &pvmshowtaskid;
    case PvmNoReset:
      return &pvmnoreset;
    default:
      return nullptr;
  }
}

/// Where the children's output or traces go: to this task, or on to where its own do.
bool is_destination(int task, int own_tag, const Pvmtracer& self, const Pvmtracer& children, bool trace) {
  const int inherited = trace ? self.trctid : self.outtid;
  const int inherited_tag = trace ? self.trctag : self.outtag;
  static_cast<void>(children);
  return task == 0 || task == pvmmytid || (task == inherited && own_tag == inherited_tag);
}

/// A tag or context of a destination that is not this task can't be chosen freely.
bool may_choose(int destination, int value, int inherited) {
  return destination <= 0 || destination == pvmmytid || value == inherited;
}

/// @return 0 or an error
int check(int what, int value) {
  switch (what) {
    case PvmRoute:
      return value >= PvmDontRoute && value <= PvmRouteDirect ? PvmOk : PvmBadParam;
    case PvmOutputTid:
      return is_destination(value, pvmctrc.outtag, pvmtrc, pvmctrc, false) ? PvmOk : PvmBadParam;
    case PvmTraceTid:
      return is_destination(value, pvmctrc.trctag, pvmtrc, pvmctrc, true) ? PvmOk : PvmBadParam;
    case PvmOutputContext:
      return may_choose(pvmctrc.outtid, value, pvmtrc.outctx) ? PvmOk : PvmBadParam;
    case PvmOutputCode:
      return may_choose(pvmctrc.outtid, value, pvmtrc.outtag) ? PvmOk : PvmBadParam;
    case PvmTraceContext:
      return may_choose(pvmctrc.trctid, value, pvmtrc.trcctx) ? PvmOk : PvmBadParam;
    case PvmTraceCode:
      return may_choose(pvmctrc.trctid, value, pvmtrc.trctag) ? PvmOk : PvmBadParam;
    case PvmTraceOptions:
    case PvmSelfTraceOptions:
      return value >= PvmTraceFull && value <= PvmTraceCount ? PvmOk : PvmBadParam;
    case PvmFragSize: {
      constexpr int headers = 52, most = 1 << 20;
      return value >= headers && value <= most ? PvmOk : PvmBadParam;
    }
    case PvmSelfOutputContext:
    case PvmSelfTraceContext:
    case PvmPollType:
    case PvmPollTime:
      return PvmNotImpl;
    case PvmSelfOutputTid:
    case PvmSelfTraceTid:
      return value > 0 ? enrol() : PvmOk;
    case PvmNoReset:
      return pvmmytid < 0 ? PvmBadParam : PvmOk;
    default:
      return setting(what) == nullptr ? PvmBadParam : PvmOk;
  }
}

/// A task that the console's reset leaves alone says so in a mailbox.
void announce_no_reset(bool now) {
  if (!now) {
    if (pvmnoresetindex >= 0)
      pvm_delinfo(const_cast<char*>(PVMNORESETCLASS), pvmnoresetindex, PvmMboxDefault);
    pvmnoresetindex = -1;
    return;
  }
  const int saved = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));
  pvm_pkint(&pvmmytid, 1, 1);
  pvmnoresetindex = pvm_putinfo(const_cast<char*>(PVMNORESETCLASS), pvm_getsbuf(), PvmMboxMultiInstance);
  pvm_freebuf(pvm_setsbuf(saved));
}

/// What follows from a new value.
int take_effect(int what, int value) {
  switch (what) {
    case PvmOutputTid:
      if (pvmmytid == -1) return PvmOk;
      // Output as messages to the task itself is not emulated, and pvm_catchout sets this by itself.
      if (value == pvmmytid) return pvmctrc.outtid == pvmmytid ? PvmOk : PvmNotImpl;
      return task_call(morgana::Call::pvm_setopt, [](OpenCall& call) { return catch_output(call, nullptr); });
    case PvmNoReset:
      if ((value != 0) != (pvmnoreset != 0)) announce_no_reset(value != 0);
      return PvmOk;
    case PvmSelfOutputTid:
    case PvmSelfOutputCode:
      pvmctrc.outtid = pvmtrc.outtid;
      pvmctrc.outctx = pvmtrc.outctx;
      pvmctrc.outtag = pvmtrc.outtag;
      return PvmOk;
    default:
      return PvmOk;
  }
}

}  // namespace

int pvm_getopt(int what) {
  const int* value = setting(what);
  return value == nullptr ? lpvmerr("pvm_getopt", PvmBadParam) : *value;
}

int pvm_setopt(int what, int value) {
  return guarded([&] {
    if (const int error = check(what, value); error < 0) return lpvmerr("pvm_setopt", error);
    // The tag of output or traces that go nowhere: the real library complains of an error without a code.
    if ((what == PvmSelfOutputCode && pvmtrc.outtid <= 0) || (what == PvmSelfTraceCode && pvmtrc.trctid <= 0))
      return lpvmerr("pvm_setopt", PvmOk);
    if (const int error = take_effect(what, value); error < 0) return lpvmerr("pvm_setopt", error);
    return std::exchange(*setting(what), value);
  });
}

int pvm_gettmask(int whose, Pvmtmask mask) {
  if (whose != PvmTaskChild && whose != PvmTaskSelf) return lpvmerr("pvm_gettmask", PvmBadParam);
  memcpy(mask, whose == PvmTaskChild ? pvmctrc.tmask : pvmtrc.tmask, TEV_MASK_LENGTH);
  return PvmOk;
}

int pvm_settmask(int whose, Pvmtmask mask) {
  if (whose != PvmTaskChild && whose != PvmTaskSelf) return lpvmerr("pvm_settmask", PvmBadParam);
  memcpy(whose == PvmTaskChild ? pvmctrc.tmask : pvmtrc.tmask, mask, TEV_MASK_LENGTH);
  return PvmOk;
}
