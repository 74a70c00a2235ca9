// pvm_recv and its kin, and contexts.

#include <algorithm>
#include <utility>

#include "pvmshim/pvm/element.h"
#include "pvmshim/pvm/emulate/inbox.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/task_call.h"

void* pvm_inprecv = nullptr;

using namespace morgana::pvm;
using morgana::Call;
using morgana::SimTime;

namespace {

/// The real library's rule: what pvm_recvf returns for it.
int default_match(int id, int source, int tag) {
  const Message* message = buffers().messages.find(id);
  if (message == nullptr) return PvmNoSuchBuf;
  return (source == -1 || source == message->source) && (tag == -1 || tag == message->tag) &&
                 (pvmmyctx == -1 || pvmmyctx == message->context)
             ? 1
             : 0;
}

SimTime limit_of(const timeval& time) {
  constexpr std::int64_t longest_s = 4'000'000;  // SimTime holds twice that
  const std::int64_t seconds = std::clamp<std::int64_t>(time.tv_sec, 0, longest_s);
  return SimTime::from_ps(seconds * 1'000'000'000'000 +
                          std::clamp<std::int64_t>(time.tv_usec, 0, 1'000'000) * 1'000'000);
}

}  // namespace

int pvm_recv(int source, int tag) {
  return reported_call(Call::pvm_recv, [&](OpenCall& call) {
    return inbox().receive(call, {source, tag, pvmmyctx});
  });
}

int pvm_nrecv(int source, int tag) {
  return reported_call(Call::pvm_nrecv, [&](OpenCall& call) {
    return inbox().try_receive(call, {source, tag, pvmmyctx});
  });
}

int pvm_trecv(int source, int tag, timeval* limit) {
  return reported_call(Call::pvm_trecv, [&](OpenCall& call) {
    const Pattern pattern{source, tag, pvmmyctx};
    if (limit == nullptr) return inbox().receive(call, pattern);
    const SimTime time = limit_of(*limit);
    return time == SimTime() ? inbox().try_receive(call, pattern) : inbox().receive(call, pattern, time);
  });
}

int pvm_probe(int source, int tag) {
  return reported_call(Call::pvm_probe, [&](OpenCall& call) {
    return inbox().probe(call, {source, tag, pvmmyctx});
  });
}

int pvm_precv(int source, int tag, void* data, int count, int type, int* from, int* got_tag, int* got_bytes) {
  static int last_received = 0;
  return reported_call(Call::pvm_precv, [&](OpenCall& call) -> int {
    if (type == PVM_STR) return PvmNotImpl;
    const auto element = element_of(type);
    if (!element) return PvmBadParam;
    // The message stays until the next one is received this way: the program may still look at it.
    if (Message* last = buffers().messages.find(last_received)) buffers().free(*last);
    last_received = 0;
    const int current = buffers().set_receive(nullptr);
    const int id = inbox().receive(call, {source, tag, pvmmyctx});
    int result = id;
    if (id > 0) {
      Message& message = *buffers().messages.find(id);
      const int bytes = message.shown_length();
      if (got_bytes != nullptr) *got_bytes = bytes;
      if (got_tag != nullptr) *got_tag = message.tag;
      if (from != nullptr) *from = message.source;
      const auto room = static_cast<std::int64_t>(element->size()) * std::max(count, 0);
      message.unpack(PVM_BYTE, data, static_cast<int>(std::min<std::int64_t>(bytes, room)), 1,
                     Call::pvm_precv);
      last_received = id;
      result = PvmOk;
    }
    buffers().set_receive(buffers().messages.find(current));
    return result;
  });
}

/// pvm3.h declares another type of function than the one that is meant.
int (*pvm_recvf(int (*match)(int, int, int)))(int (*)(int, int, int)) {
  const MatchFunction before =
      inbox().set_match(match == nullptr || match == default_match ? nullptr : match);
  using Declared = int (*)(int (*)(int, int, int));
  return reinterpret_cast<Declared>(reinterpret_cast<void*>(before == nullptr ? default_match : before));
}

int pvm_getcontext(void) {
  return pvmmyctx;
}

int pvm_setcontext(int context) {
  return std::exchange(pvmmyctx, context);
}
