#include "pvmshim/pvm/emulate/transfer.h"

#include <cstring>
#include <string>

#include "emulator/core/error.h"
#include "pvmshim/channel/announced_end.h"

namespace morgana::pvm {
namespace {

/// A task does not run ahead of messages of this size: they would fill the shared memory.
constexpr Bytes large{1 << 20};

Operation receive_operation(const Wanted& wanted, RequestId request) {
  Operation receive;
  receive.kind = OperationKind::receive;
  receive.context = wanted.context;
  receive.peer = wanted.source;
  receive.tag = wanted.tag;
  receive.request = request;
  receive.streamed = true;
  return receive;
}

Operation wait_operation(RequestId request) {
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.requests.push_back(request);
  return wait;
}

Arrival arrival_of(const Completed& message) {
  return {message.payload, message.request, message.bytes,  message.coming,
          message.source,  message.tag,     message.outcome};
}

/// The limit has passed: the receive ends, with the message that has come at the last moment or without one.
std::optional<Arrival> take_back(OpenCall& call, RequestId request, OpenCall::Last last) {
  Operation cancel;
  cancel.kind = OperationKind::cancel;
  cancel.request = request;
  call.post(cancel);
  Operation wait = wait_operation(request);
  const Completed completed = call.ask(wait, last).completed.front();
  if (completed.cancelled) return std::nullopt;
  return arrival_of(completed);
}

}  // namespace

std::uint64_t deposit(std::span<const std::byte> bytes, std::uint32_t readers) {
  RankChannel& channel = me().live.channel();
  const std::uint64_t payload = channel.allocate(Bytes(static_cast<std::int64_t>(bytes.size())), readers);
  if (!bytes.empty()) std::memcpy(channel.data(payload).data(), bytes.data(), bytes.size());
  return payload;
}

std::vector<std::byte> collect(const Arrival& message) {
  if (message.outcome != Outcome::delivered)
    throw Error(std::string("a message of PVM's daemon does not come, as this host can't ask for it: ") +
                describe_returned(message.outcome));
  RankChannel& channel = me().live.channel();
  const std::uint64_t payload = message.payload;
  const std::span<const std::byte> data = channel.data(payload);
  std::vector<std::byte> bytes(data.begin(), data.end());
  channel.release(payload);
  return bytes;
}

void send(OpenCall& call, std::span<const Rank> to, Context context, Tag tag, Bytes bytes,
          std::uint64_t payload, OpenCall::Last last, std::span<const Part> parts) {
  Operation wait;
  wait.kind = OperationKind::wait;
  for (const Rank rank : to) {
    Operation send;
    send.kind = OperationKind::send;
    send.mode = SendMode::buffered;
    send.context = context;
    send.peer = rank;
    send.tag = tag;
    send.bytes = bytes;
    send.payload = payload;
    if (parts.size() <= most_message_parts) send.parts.assign(parts.begin(), parts.end());
    send.request = me().next_request();
    wait.requests.push_back(send.request);
    call.post(send);
  }
  if (bytes >= large)
    call.ask(wait, last);
  else
    call.post(wait, last);
}

std::optional<Arrival> receive(OpenCall& call, const Wanted& wanted, OpenCall::Last last,
                               std::optional<SimTime> limit) {
  const RequestId request = me().next_request();
  Operation receive = receive_operation(wanted, request);
  call.post(receive);
  Operation wait = wait_operation(request);
  if (limit) wait.duration = *limit;
  const Answer& answer = call.ask(wait, limit ? OpenCall::Last::no : last);
  if (!answer.completed.empty()) return arrival_of(answer.completed.front());
  return take_back(call, request, last);
}

std::optional<Arrival> try_receive(OpenCall& call, const Wanted& wanted) {
  Operation probe;
  probe.kind = OperationKind::test_probe;
  probe.context = wanted.context;
  probe.peer = wanted.source;
  probe.tag = wanted.tag;
  const Answer& answer = call.poll(probe);
  if (answer.completed.empty()) return std::nullopt;
  return receive(call, wanted, OpenCall::Last::yes);
}

std::size_t wait_for_part(Call by, const Arrival& message, std::size_t bytes) {
  OpenCall call(by);
  Operation wait;
  wait.kind = OperationKind::wait_part;
  wait.request = message.request;
  wait.bytes = Bytes(static_cast<std::int64_t>(bytes));
  const Completed& came = call.ask(wait, OpenCall::Last::yes).completed.front();
  return static_cast<std::size_t>((came.bytes - came.coming).count());
}

void forget_rest(const Arrival& message) {
  OpenCall call(Call::pvm_freebuf);
  Operation forget;
  forget.kind = OperationKind::wait_part;
  forget.request = message.request;
  call.post(forget, OpenCall::Last::yes);
}

}  // namespace morgana::pvm
