#include "pvmshim/pvm/emulate/daemon_request.h"

#include "pvmshim/pvm/emulate/transfer.h"
#include "pvmshim/pvmd/message.h"

namespace morgana::pvm {
namespace {

void send_request(OpenCall& call, const Request& request) {
  const std::vector<std::byte> bytes = encode(request);
  const Rank daemon = daemon_rank;
  send(call, {&daemon, 1}, service_context, Tag{static_cast<std::int32_t>(request.ask)},
       Bytes(static_cast<std::int64_t>(bytes.size())), deposit(bytes, 1), OpenCall::Last::no);
}

}  // namespace

Reply ask_daemon(OpenCall& call, Request request) {
  request.serial = ++me().last_serial;
  send_request(call, request);
  const auto reply = receive(call, {service_context, daemon_rank, Tag{request.serial}}, OpenCall::Last::no);
  return decode_reply(collect(*reply));
}

void tell_daemon(OpenCall& call, Request request) {
  request.serial = ++me().last_serial;
  send_request(call, request);
}

}  // namespace morgana::pvm
