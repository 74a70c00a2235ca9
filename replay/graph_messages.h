#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/messaging/machine.h"
#include "emulator/messaging/make_messenger.h"
#include "emulator/messaging/messenger.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// The messages of a schedule's job: its ranks count from 0, and are the machine's from `first_rank` on. Each
/// job has a messenger of its own, so that its messages never meet another's, and each of its runs a context.
class GraphMessages {
 public:
  GraphMessages(Machine& machine, MessengerClient& client, std::size_t first_rank)
      : machine_(machine), first_rank_(first_rank), messenger_(make_messenger(machine, client)) {}

  /// What is posted from now on meets nothing that was posted before.
  void next_run() { context_ = Context{static_cast<std::uint64_t>(context_) + 1}; }

  Rank of_machine(Rank rank) const {
    return rank == any_rank ? rank
                            : Rank{static_cast<std::int32_t>(rank) + static_cast<std::int32_t>(first_rank_)};
  }
  Rank of_job(Rank rank) const {
    return Rank{static_cast<std::int32_t>(rank) - static_cast<std::int32_t>(first_rank_)};
  }
  HostId host_of(Rank rank) const { return machine_.host_of[index(of_machine(rank))]; }

  Messenger::SendCost send_cost(Rank sender, Rank receiver, Bytes bytes) const {
    return messenger_->send_cost(of_machine(sender), of_machine(receiver), bytes, SendMode::standard);
  }
  /// @param begun, ready  as in Messenger::Sent
  Messenger::Begun send(Rank sender, const GraphNode& node, Token token, SimTime begun, SimTime ready) {
    Messenger::Send send;
    send.envelope = {context_, of_machine(sender), node.tag};
    send.receiver = of_machine(node.peer);
    send.bytes = Bytes(node.amount);
    send.begun = begun;
    send.ready = ready;
    send.token = token;
    send.nic = node.nic;
    send.may_suspend = true;
    return messenger_->send(send);
  }
  bool receives_cost() const { return messenger_->receives_cost(); }
  SimTime receive_cost(Rank receiver, const GraphNode& node) {
    return messenger_->receive_cost(of_machine(receiver), pattern(node), Bytes(node.amount));
  }
  Messenger::Posted receive(Rank receiver, const GraphNode& node, Token token) {
    return messenger_->receive(of_machine(receiver), pattern(node), token);
  }
  Bytes match_matters_beyond() const { return messenger_->match_matters_beyond(); }
  const Losses& losses() const { return messenger_->losses(); }
  /// Messages that came and were never received; their senders are the job's ranks.
  std::vector<Messenger::Found> unreceived(Rank receiver) const {
    std::vector<Messenger::Found> all = messenger_->unreceived(of_machine(receiver));
    for (Messenger::Found& one : all) one.envelope.source = of_job(one.envelope.source);
    return all;
  }

 private:
  Envelope pattern(const GraphNode& node) const { return {context_, of_machine(node.peer), node.tag}; }

  Machine& machine_;
  std::size_t first_rank_;
  Context context_ = world_context;
  std::unique_ptr<Messenger> messenger_;
};

}  // namespace morgana
