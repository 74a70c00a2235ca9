#include "emulator/platform/kinds/push_pull.h"

#include <algorithm>
#include <utility>

#include "emulator/platform/sections.h"

namespace morgana {
namespace {

std::optional<Complaint> check_push_pull(const Settings& settings, const UnitService& network) {
  const PushPullParameters push_pull = push_pull_table().read(settings);
  const Bytes unit =
      std::min(push_pull.handlers.largest_unit, network.largest.value_or(push_pull.handlers.largest_unit));
  const Bytes header = push_pull.go_back_n.header;
  if (header >= unit)
    return Complaint{"transport.header",
                     to_text(header) + " leaves no room for data in units of " + to_text(unit)};
  const MessageLayer messages = message_table().read(settings);
  if (messages.envelope >= unit - header)
    return Complaint{"messages.envelope", to_text(messages.envelope) +
                                              " leaves no room for data in a unit that has room for " +
                                              to_text(unit - header)};
  if (host_table().read(settings).quantum > SimTime())
    return Complaint{"hosts.quantum",
                     "kernels that carry messages (transport.kind = \"push-pull\") work for one rank on each "
                     "processor; leave the quantum out, or choose another transport"};
  const Bytes slot = push_pull.messages.slot;
  if (messages.unexpected_buffer < slot)
    return Complaint{"messages.unexpected-buffer",
                     to_text(messages.unexpected_buffer) + " are less than a slot of the pushed buffer, " +
                         to_text(slot) + "; make it larger, or transport.slot smaller"};
  return std::nullopt;
}

}  // namespace

const Table<PushPullParameters>& push_pull_table() {
  using P = PushPullParameters;
  static const auto table = [] {
    Table<P> keys("transport");
    add_go_back_n_keys(
        keys, [](auto& parameters) -> auto& { return parameters.go_back_n; });
    keys.key(
            "reception", [](auto& p) -> auto& { return p.handlers.reception; },
            "CPU time of the reception handler for each unit that has come, in addition to the interrupt")
        .key(
            "reception-per-byte", [](auto& p) -> auto& { return p.handlers.reception_per_byte; },
            "the handler copies what has come out of the interface")
        .key(
            "launch", [](auto& p) -> auto& { return p.handlers.launch; },
            "CPU time, of a program or of a handler, to format a unit and to bring it to the interface")
        .key(
            "launch-per-byte", [](auto& p) -> auto& { return p.handlers.launch_per_byte; },
            "the handler copies the rest of a message into the interface")
        .key("outgoing", [](auto& p) -> auto& { return p.handlers.outgoing; },
             "room of the interface's outgoing queue", {.at_least = "1", .unit = "units"})
        .key("largest-unit", [](auto& p) -> auto& { return p.handlers.largest_unit; },
             "that a kernel hands to the interface in one piece, with its header; the network's, where that "
             "is "
             "smaller",
             {.at_least = "2 B"})
        .key("slot", [](auto& p) -> auto& { return p.messages.slot; },
             "of the pushed buffer (messages.unexpected-buffer): a unit that finds no receive takes as many "
             "as "
             "its bytes need",
             {.at_least = "1 B"})
        .key(
            "system-call", [](auto& p) -> auto& { return p.messages.system_call; },
            "to enter the kernel, which finds physical addresses, or pulls a message within the host")
        .key(
            "translation", [](auto& p) -> auto& { return p.messages.translate_page; },
            "to find the physical addresses of a page, of a message's source and of its destination; of "
            "fewer "
            "bytes in proportion")
        .key("page", [](auto& p) -> auto& { return p.messages.page; }, "of memory", {.at_least = "512 B"})
        .choice(
            "translate", [](auto& p) -> auto& { return p.messages.translation; }, {"masked", "first"},
            "when addresses of messages that are pulled in part are translated: while a push, or the request "
            "of a late receive, is under way already, as programs reach the interface from user space "
            "(masked); or before it is sent (first), as those of messages that are pushed whole always are");
    return keys;
  }();
  return table;
}

TransportKind push_pull_transport_kind() {
  TransportKind kind{
      "push-pull",
      "Push-pull messaging in the hosts' kernels: handlers that interrupts start take units from the "
      "interface and serve requests, a pushed buffer keeps what comes before its receive, and go-back-n "
      "brings again what is lost or finds no room (K.-P. Wong and C.-L. Wang, 1999).",
      push_pull_table().keys(),
      check_push_pull,
      [](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
        return std::make_unique<GoBackN>(events, network, hosts, push_pull_table().read(settings).go_back_n);
      },
      false,
      true};
  kind.in_kernel = true;
  return kind;
}

}  // namespace morgana
