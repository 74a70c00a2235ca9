// What sends and receives.

#include <algorithm>
#include <utility>

#include "pvmshim/pvm/element.h"
#include "pvmshim/pvm/record/packed_parts.h"
#include "pvmshim/pvm/record/real_pvm.h"
#include "pvmshim/pvm/record/recorded_call.h"

namespace morgana::pvm::captured {
namespace {

Context current_context() {
  return engine_context(MORGANA_REAL(pvm_getcontext)());
}

/// PVM's own messages have negative tags; they go to the virtual machine.
Tag tag_of(int tag) {
  return Tag{std::max(tag, 0)};
}

struct Outgoing {
  std::int64_t bytes = 0;
  std::vector<Part> parts;
};

/// The message in the send buffer.
Outgoing current_message() {
  const int buffer = MORGANA_REAL(pvm_getsbuf)();
  const PackedMessage* message = packing(buffer);
  if (message != nullptr && message->known) return {message->size, message->parts};
  int bytes = 0, tag = 0, task = 0;
  if (buffer > 0) MORGANA_REAL(pvm_bufinfo)(buffer, &bytes, &tag, &task);
  return {std::max(bytes, 0), {}};
}

void record_send(RecordedPvmCall& call, const std::vector<int>& tasks, int tag, const Outgoing& message) {
  std::vector<RequestId> requests;
  std::vector<Completed> completed;
  for (const int task : tasks) {
    Operation send;
    send.kind = OperationKind::send;
    send.mode = SendMode::buffered;
    send.context = current_context();
    send.peer = name_of_task(task);
    send.tag = tag_of(tag);
    send.bytes = Bytes(message.bytes);
    if (message.parts.size() <= most_message_parts) send.parts = message.parts;
    send.request = call.next_request();
    requests.push_back(send.request);
    Completed& sent = completed.emplace_back();
    sent.request = send.request;
    call.add(std::move(send), call.begin(), call.begin());
  }
  call.add_wait(requests, call.begin(), std::move(completed));
}

struct Wanted {
  int source, tag;
};

Operation receive_operation(const RecordedPvmCall& call, const Wanted& wanted) {
  Operation receive;
  receive.kind = OperationKind::receive;
  receive.context = current_context();
  receive.peer = wanted.source == -1 ? any_rank : name_of_task(wanted.source);
  receive.tag = wanted.tag == -1 ? any_tag : tag_of(wanted.tag);
  receive.request = call.next_request();
  return receive;
}

/// The message in a buffer of the real library's.
Completed message_in(int buffer) {
  int bytes = 0, tag = 0, task = 0;
  MORGANA_REAL(pvm_bufinfo)(buffer, &bytes, &tag, &task);
  Completed message;
  message.source = name_of_task(task);
  message.tag = tag_of(tag);
  message.bytes = Bytes(std::max(bytes, 0));
  return message;
}

void record_received(RecordedPvmCall& call, const Wanted& wanted, Completed message) {
  Operation receive = receive_operation(call, wanted);
  receive.bytes = message.bytes;
  message.request = receive.request;
  call.add(receive, call.begin(), call.begin());
  call.add_wait({receive.request}, call.begin(), {message});
}

void record_nothing_found(RecordedPvmCall& call, const Wanted& wanted) {
  const Operation wish = receive_operation(call, wanted);
  Operation probe;
  probe.kind = OperationKind::test_probe;
  probe.context = wish.context;
  probe.peer = wish.peer;
  probe.tag = wish.tag;
  call.add(probe, call.begin(), call.now());
}

}  // namespace
}  // namespace morgana::pvm::captured

using namespace morgana::pvm::captured;
using morgana::Call;
using morgana::Completed;
using morgana::Operation;
using morgana::OperationKind;

int pvm_send(int task, int tag) {
  RecordedPvmCall call(Call::pvm_send);
  const int result = MORGANA_REAL(pvm_send)(task, tag);
  if (call.active() && result >= 0 && !OwnMessages::under_way())
    record_send(call, {task}, tag, current_message());
  return result;
}

int pvm_psend(int task, int tag, void* data, int count, int type) {
  RecordedPvmCall call(Call::pvm_psend);
  const OwnMessages carried_out_with;
  const int result = MORGANA_REAL(pvm_psend)(task, tag, data, count, type);
  if (!call.active() || result < 0) return result;
  PackedMessage message;
  message.encoding = PvmDataInPlace;
  if (count > 0) message.add(type, count);
  record_send(call, {task}, tag, {message.size, message.parts});
  return result;
}

int pvm_mcast(int* tasks, int count, int tag) {
  RecordedPvmCall call(Call::pvm_mcast);
  const int result = MORGANA_REAL(pvm_mcast)(tasks, count, tag);
  if (!call.active() || result < 0 || OwnMessages::under_way()) return result;
  std::vector<int> to(tasks,
                      tasks + std::max(count, 0));  // as the library: sorted, each once, not the caller
  std::ranges::sort(to);
  to.erase(std::unique(to.begin(), to.end()), to.end());
  std::erase(to, MORGANA_REAL(pvm_mytid)());
  if (!to.empty()) record_send(call, to, tag, current_message());
  return result;
}

int pvm_recv(int source, int tag) {
  RecordedPvmCall call(Call::pvm_recv);
  const int buffer = MORGANA_REAL(pvm_recv)(source, tag);
  if (call.active() && buffer > 0 && !OwnMessages::under_way())
    record_received(call, {source, tag}, message_in(buffer));
  return buffer;
}

int pvm_nrecv(int source, int tag) {
  RecordedPvmCall call(Call::pvm_nrecv);
  const int buffer = MORGANA_REAL(pvm_nrecv)(source, tag);
  if (!call.active() || buffer < 0 || OwnMessages::under_way()) return buffer;
  if (buffer > 0)
    record_received(call, {source, tag}, message_in(buffer));
  else
    record_nothing_found(call, {source, tag});
  return buffer;
}

int pvm_trecv(int source, int tag, timeval* limit) {
  RecordedPvmCall call(Call::pvm_trecv);
  const int buffer = MORGANA_REAL(pvm_trecv)(source, tag, limit);
  if (!call.active() || buffer < 0 || OwnMessages::under_way()) return buffer;
  if (buffer > 0) {
    record_received(call, {source, tag}, message_in(buffer));
  } else {  // a replay waits as long for nothing
    Operation sleep;
    sleep.kind = OperationKind::sleep;
    const morgana::SimTime end = call.now();
    sleep.duration = end - call.begin();
    call.add(sleep, call.begin(), end);
  }
  return buffer;
}

int pvm_precv(int source, int tag, void* data, int count, int type, int* from, int* got_tag, int* got_bytes) {
  RecordedPvmCall call(Call::pvm_precv);
  int task = 0, received_tag = 0, bytes = 0;
  int result = 0;
  {
    const OwnMessages carried_out_with;
    result = MORGANA_REAL(pvm_precv)(source, tag, data, count, type, &task, &received_tag, &bytes);
  }
  if (from != nullptr) *from = task;
  if (got_tag != nullptr) *got_tag = received_tag;
  if (got_bytes != nullptr) *got_bytes = bytes;
  if (!call.active() || result < 0) return result;
  Completed message;
  message.source = name_of_task(task);
  message.tag = tag_of(received_tag);
  message.bytes = morgana::Bytes(std::max(bytes, 0));
  record_received(call, {source, tag}, message);
  return result;
}

int pvm_probe(int source, int tag) {
  RecordedPvmCall call(Call::pvm_probe);
  const int buffer = MORGANA_REAL(pvm_probe)(source, tag);
  if (!call.active() || buffer < 0 || OwnMessages::under_way()) return buffer;
  if (buffer == 0) {
    record_nothing_found(call, {source, tag});
    return buffer;
  }
  const Completed message = message_in(buffer);
  Operation probe;
  probe.kind = OperationKind::probe;
  probe.context = current_context();
  probe.peer = message.source;
  probe.tag = message.tag;
  call.add(probe, call.begin(), call.now(), {message});
  return buffer;
}
