// pvm_send, pvm_psend, pvm_mcast.

#include <algorithm>
#include <vector>

#include "pvmshim/pvm/element.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/send_message.h"
#include "pvmshim/pvm/emulate/task_call.h"
#include "pvmshim/pvm/emulate/transfer.h"

int pvmrescode = 0;
int pvmfrgsiz = 4080;

namespace morgana::pvm {

bool is_task(TaskId id) {
  constexpr TaskId host_mask = 0x3ffc0000;
  return (id & ~(host_mask | number_mask)) == 0 && (id & number_mask) != 0 && (id & host_mask) != 0;
}

std::vector<std::byte> block_of(const Message& message, int context, int tag) {
  const std::vector<std::byte> data = message.data();
  const auto encoding = message.encoding() == Encoding::xdr ? Encoding::xdr : Encoding::raw;
  std::vector<std::byte> block(block_size(message.parts().size(), data.size()));
  const MessageHeader header{message_magic,
                             me().id,
                             context,
                             tag,
                             static_cast<std::uint32_t>(encoding),
                             static_cast<std::uint32_t>(message.parts().size()),
                             data.size()};
  std::ranges::copy(data, begin_message(block, header, message.parts()).begin());
  return block;
}

int send_message(OpenCall& call, Message& message, std::span<const TaskId> to, int context, int tag) {
  std::vector<Rank> ranks;
  for (const TaskId task : to)
    if (is_task(task) && index(rank_of(task)) < me().live.settings().ranks) ranks.push_back(rank_of(task));
  message.context = context;
  message.tag = tag;
  if (!to.empty()) message.destination = to.back();
  if (ranks.empty()) {
    Operation nothing;
    call.post(nothing, OpenCall::Last::yes);
    return PvmOk;
  }
  message.wait_for_all(call.call());
  const std::vector<std::byte> block = block_of(message, context, tag);
  send(call, ranks, engine_context(context), Tag{tag}, Bytes(static_cast<std::int64_t>(message.size())),
       deposit(block, static_cast<std::uint32_t>(ranks.size())), OpenCall::Last::no, message.parts());
  return PvmOk;
}

}  // namespace morgana::pvm

using namespace morgana::pvm;

namespace {

/// With PvmResvTids a task may send to anybody. But nobody receives negative tags, which are the real
/// library's internal ones.
int check_envelope(int to, int tag) {
  return (pvmrescode == 0 && !is_task(to)) || tag < 0 ? PvmBadParam : PvmOk;
}

}  // namespace

int pvm_send(int task, int tag) {
  return reported_call(morgana::Call::pvm_send, [&](OpenCall& call) {
    if (const int error = check_envelope(task, tag); error != PvmOk) return error;
    Message* message = buffers().send;
    if (message == nullptr) return PvmNoBuf;
    return send_message(call, *message, {&task, 1}, pvmmyctx, tag);
  });
}

int pvm_psend(int task, int tag, void* data, int count, int type) {
  return reported_call(morgana::Call::pvm_psend, [&](OpenCall& call) -> int {
    if (type == PVM_STR) return PvmNotImpl;
    const auto element = element_of(type);
    if (!element) return PvmBadParam;
    if (const int error = check_envelope(task, tag); error != PvmOk) return lpvmerr("pvm_send", error);
    Message message(Encoding::raw);
    if (count > 0) message.pack(type, data, count, 1);
    return send_message(call, message, {&task, 1}, pvmmyctx, tag);
  });
}

int pvm_mcast(int* tasks, int count, int tag) {
  return reported_call(morgana::Call::pvm_mcast, [&](OpenCall& call) -> int {
    Message* message = buffers().send;
    if (message == nullptr) return PvmNoBuf;
    if (count < 0 || tag < 0) return PvmBadParam;
    std::vector<TaskId> to(tasks, tasks + count);
    if (pvmrescode == 0 && !std::ranges::all_of(to, is_task)) return PvmBadParam;
    // As the real library: sorted, each once, never the caller.
    std::ranges::sort(to);
    to.erase(std::unique(to.begin(), to.end()), to.end());
    std::erase(to, me().id);
    return to.empty() ? PvmOk : send_message(call, *message, to, pvmmyctx, tag);
  });
}
